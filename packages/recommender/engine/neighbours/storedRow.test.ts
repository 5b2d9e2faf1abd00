import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { numberItems } from '../catalogue/numberItems.ts';
import { defaultSetting } from '../data/defaultSetting.ts';
import { computeFactors } from '../factors/computeFactors.ts';
import { buildHistory } from '../matrix/buildHistory.ts';
import { toInteractions } from '../matrix/interactions.ts';
import { trainingData, twoBlocks } from '../../testing/testData.ts';
import { CandidateWriter } from './candidateFile.ts';
import { computeNeighbours } from './computeNeighbours.ts';
import { GramRow } from './gramRow.ts';
import { StoredRow } from './storedRow.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-candidates-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { entities, pairs } = twoBlocks();
// Adds a series and a film without users, so that rows have two groups and one item has no interactions.
const data = trainingData(
  [...entities, ['series-1', 'series'], ['film-x', 'film']],
  [...pairs, ['crime-user-1', 'series-1'], ['romance-user-2', 'series-1']],
);
const catalogue = numberItems(data);
const interactions = toInteractions(buildHistory(data, catalogue), catalogue.itemNode.length);
const groups = catalogue.targetTypes.length;
const row = new GramRow(interactions, catalogue.itemGroup, groups, defaultSetting.pu, defaultSetting.pb);

function store(name: string): ReturnType<CandidateWriter['finish']> {
  const writer = new CandidateWriter(join(folder, name), catalogue.itemGroup);
  for (let item = 0; item < interactions.items; item++) {
    row.fill(item);
    for (let group = 0; group < groups; group++) {
      const start = row.groupStart[group] as number;
      for (const other of row.candidates.subarray(start, start + (row.candidateCount[group] as number))) {
        writer.add(item, other, row.sums[2 * other] as number, row.sums[2 * other + 1] as number);
      }
    }
    row.clear();
  }
  return writer.finish();
}

test('rows from a file are the rows that were written', () => {
  const stored = new StoredRow(interactions, catalogue.itemGroup, groups, store('rows'));
  for (let item = 0; item < interactions.items; item++) {
    row.fill(item);
    stored.fill(item);
    expect(stored.candidateCount).toEqual(row.candidateCount);
    expect(stored.sums).toEqual(row.sums);
    for (let group = 0; group < groups; group++) {
      const listOf = ({ candidates, groupStart, candidateCount }: typeof row | typeof stored): number[] =>
        [...candidates.subarray(groupStart[group], (groupStart[group] as number) + (candidateCount[group] as number))];
      expect(listOf(stored)).toEqual(listOf(row));
    }
    row.clear();
    stored.clear();
  }
  expect(stored.sums.every((sum) => sum === 0)).toBe(true);
  stored.close();
});

test('a model from candidates of a file is that from the Gram matrix', () => {
  const options = { setting: defaultSetting, seed: 1 };
  const factors = computeFactors(data, options, () => {});
  const own = computeNeighbours(data, factors, options, () => {});
  const given = computeNeighbours(data, factors, options, () => {}, store('model'));
  expect(given.operator.index.length).toBeGreaterThan(70);
  expect(given.operator).toEqual(own.operator);
  expect(given.related).toEqual(own.related);
  expect(given.relatedDivisor).toEqual(own.relatedDivisor);
});

test('candidates out of order are refused', () => {
  const writer = new CandidateWriter(join(folder, 'order'), catalogue.itemGroup);
  writer.add(1, 2, 1, 1);
  expect(() => writer.add(0, 2, 1, 1)).toThrow(RangeError);
  expect(() => writer.add(2, interactions.items, 1, 1)).toThrow(RangeError);
  writer.finish();
});
