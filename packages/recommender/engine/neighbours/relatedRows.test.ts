import { expect, test } from 'vitest';
import { factorise } from '../factors/factorise.ts';
import { createRandom } from '../linear/random.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { GramRow } from './gramRow.ts';
import { joinRows, ListRows } from '../lists/listRows.ts';
import { OperatorRows } from './operatorRows.ts';
import { finishRelated } from './relatedLists.ts';
import { prepareRelated } from './relatedParts.ts';
import { meanScores } from './scoreSums.ts';
import { RelatedRows } from './relatedRows.ts';
import { type RowVisitor, visitRows } from './visitRows.ts';

const items = 60;
const setting = { pu: -0.5, pa: -0.5, pb: -0.2, T: 3, b: 0.3 };

/** Related rows of the same interactions, with the candidates of each row arranged in a given order. */
function neighbours(arrange: (candidates: Int32Array) => void, embedding: 'own' | 'V sqrt(s)' = 'own', shares = false) {
  const random = createRandom(5);
  const lists = Array.from({ length: 60 }, () => [...Array(items).keys()].filter(() => random.uniform() < 0.15));
  const pointer = Float64Array.from([0, ...lists.map((_, user) => lists.slice(0, user + 1).flat().length)]);
  const interactions = toInteractions({ pointer, index: Int32Array.from(lists.flat()) }, items);
  const groups = new Int32Array(items);
  const factors = factorise(interactions, setting.pu, 1, () => {});
  const none = { pointer: new Float64Array(items + 1), index: new Int32Array(0), value: new Float32Array(0) };
  const parts = prepareRelated(
    interactions, groups, 1, embedding === 'own' ? factors.vectors : null, factors, { rows: none, weighted: none, isCategory: new Uint8Array(0), heldOut: null }, 1,
  );
  const [operatorRows, rows] = [new ListRows(new Int32Array(items), 2), new ListRows(new Int32Array(items), 2)];
  const operator = new OperatorRows(interactions, factors, setting, operatorRows, shares ? parts : null);
  const divisor = new Float32Array(items);
  const related = new RelatedRows(interactions, parts, { rows, divisor }, shares ? operator : null);

  const arranger: RowVisitor = { addRow: (_, row) => arrange(row.candidates.subarray(0, row.candidateCount[0])) };
  const row = new GramRow(interactions, groups, 1, setting.pu, setting.pb);
  visitRows(row, groups.keys(), [arranger, operator, related]);
  const finished = finishRelated(rows.length, [rows.take()], groups, meanScores([related.bins.totals()]));
  return { operator: joinRows(operatorRows.length, [operatorRows.take()], 2), related: joinRows(rows.length, finished, 2), divisor };
}

test('lists and scores are the same in whatever order a row has its candidates, for that order is a partition’s', () => {
  const risen = neighbours((candidates) => candidates.sort());
  const { pointer, score } = risen.related;
  // The rows include pairs without common users, whose scores are means over a sample of other pairs.
  expect(new Set(score.subarray(pointer[0], pointer[1])).size).toBeGreaterThan(1);
  expect(neighbours((candidates) => candidates.sort((a, b) => b - a))).toEqual(risen);
  const random = createRandom(8);
  const shuffle = (candidates: Int32Array): void => {
    const order = new Map(Array.from(candidates, (item) => [item, random.uniform()]));
    candidates.sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
  };
  expect(neighbours(shuffle)).toEqual(risen);
});

test('products that the operator rows share are those that the related rows would compute', () => {
  const alone = neighbours(() => {}, 'V sqrt(s)');
  expect(alone.related.index.length).toBeGreaterThan(1000);
  expect(neighbours(() => {}, 'V sqrt(s)', true)).toEqual(alone);
});
