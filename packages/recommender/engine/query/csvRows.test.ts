import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomModel } from '../../testing/randomModel.ts';
import { CsvBuffer } from './csvRows.ts';
import { Ranking } from './ranking.ts';
import { Recommender } from './recommender.ts';
import { withModel } from '../../testing/withModel.ts';

const plainIds = Array.from({ length: 40 }, (_, at) => 'item'.repeat(at % 5) + at);
const someQuoted = [...plainIds, 'a,b', 'say "x"'];
/** Ids of 1,000 bytes, each with one word for its length: 4.4 MB in total, more than the limit of the text table. */
const many = Array.from({ length: 4_400 }, (_, at) => String(at).padStart(1_000, '0'));

const quoted = (id: string): string => (/[",\n]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id);

describe('rows of CSV', () => {
  test.each([['plain ids', plainIds], ['an id with a comma', someQuoted]])('are those of the ranking, with %s, however many answers share a buffer', async (_, ids) => {
    const model = randomModel({ ids, types: 0, itemShare: 0.5, attributes: 0, rank: 0, seed: 3 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const items = reader.itemNode.length;
      const answer = fc.record({
        node: fc.integer({ min: -1, max: ids.length - 1 }),
        rows: fc.oneof(fc.integer({ min: 0, max: 120 }), fc.constant(1500)),
      });
      fc.assert(fc.property(fc.array(answer, { minLength: 1, maxLength: 20 }), (answers) => {
        const csv = new CsvBuffer();
        const given = answers.map(({ node, rows }) => {
          const ranking = new Ranking();
          for (let rank = 0; rank < rows; rank += 1) ranking.push((rank * 7) % items, rank === 0 ? 1 : (rows - rank) / (rows + 1), 0);
          csv.begin();
          csv.addRanking(recommender, node, ranking);
          const source = node < 0 ? '' : quoted(reader.ids.get(node));
          const lines = Array.from({ length: rows }, (__, rank) => {
            const target = quoted(reader.ids.get(reader.itemNode[ranking.item[rank] ?? 0] ?? 0));
            return `${source},${target},${rank + 1},${(ranking.score[rank] ?? 0).toFixed(6)}\n`;
          });
          return { bytes: csv.take(), expected: ['source_id,target_id,#,score\n', ...lines].join('') };
        });
        // Compared together at the end, because writing a later answer must not change an earlier answer that is still in
        // use.
        for (const { bytes, expected } of given) expect(bytes.toString()).toBe(expected);
      }), { numRuns: 15 });
    });
  });

  test('have an apostrophe before what a spreadsheet takes for a formula, where they are to be safe', async () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(1,2)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1'];
    const others = ['a=1', ' =1', "'=1", '1-1', '〝1', 'x,y', 'é'];
    const ids = [...formulas, ...others];
    await withModel(randomModel({ ids, types: 0, itemShare: 1, attributes: 0, rank: 0, seed: 3 }), (reader) => {
      const ranking = new Ranking();
      ranking.push(0, 0.5, 0);
      const rowOf = (source: number | string, isSafe: boolean): string => {
        const csv = new CsvBuffer(isSafe);
        csv.addRanking(new Recommender(reader), source, ranking);
        return csv.take().toString();
      };
      const target = reader.ids.get(reader.itemNode[0] ?? 0);
      const field = (id: string): string => (/[",\r\n]/.test(id) ? `"${id.replaceAll('"', '""')}"` : id);
      const safe = (id: string): string => field(formulas.includes(id) ? `'${id}` : id);
      for (const id of ids) {
        for (const source of [reader.findNode(id), id]) {
          expect(rowOf(source, true)).toBe(`${safe(id)},${safe(target)},1,0.500000\n`);
          expect(rowOf(source, false)).toBe(`${field(id)},${field(target)},1,0.500000\n`);
        }
      }
    });
  });

  test.each([
    ['plain ids', plainIds, true],
    ['an id with a comma', someQuoted, false],
    ['longer ids than the table may hold', many, false],
  ])('have their texts in one table with %s: %#', async (_, ids, expected) => {
    const model = randomModel({ ids, types: 0, itemShare: 1, attributes: 0, rank: 0, seed: 3 });
    await withModel(model, (reader) => {
      expect(new Recommender(reader).itemTexts() !== null).toBe(expected);
    });
  });
});
