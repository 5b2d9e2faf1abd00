import { describe, expect, test } from 'vitest';
import { randomModel } from '../../testing/randomModel.ts';
import { createRandom } from '../linear/random.ts';
import { CsvBuffer } from './csvRows.ts';
import { JsonBuffer } from './jsonBuffer.ts';
import { JsonExport } from './jsonExport.ts';
import { jsonRows } from './jsonRows.ts';
import { Ranking } from './ranking.ts';
import { Recommender } from './recommender.ts';
import { awkwardIds, entries, everything, ids } from '../../testing/testRankings.ts';
import { withModel } from '../../testing/withModel.ts';

describe('as text', () => {
  test('CSV gives back ids with commas, quotes, newlines, NUL and 1 kB, and scores with six decimals', async () => {
    const model = randomModel({ ids: awkwardIds, types: 0, itemShare: 1, attributes: 0, rank: 0, seed: 21 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      for (let node = 0; node < model.nodes.count; node += 1) {
        const csv = new CsvBuffer();
        const ranking = recommender.recommend(node, everything);
        csv.addRanking(recommender, node, ranking);
        const rows = parseCsv(csv.take().toString());
        expect(rows).toEqual(entries(ranking).map(({ item, score }, at) => [
          model.nodes.ids[node], model.nodes.ids[model.itemNode[item] ?? -1], String(at + 1), score.toFixed(6),
        ]));
        expect(csv.take().length).toBe(0);
      }
    });
  });

  test('CSV of many sources is that of each one after the other, wherever its buffer grows', async () => {
    const long = ids(40).map((id, at) => id.padEnd(200 + 37 * at, 'x'));
    const model = randomModel({ ids: long, types: 0, itemShare: 1, attributes: 0, rank: 0, seed: 21 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const add = (csv: CsvBuffer, node: number): void => csv.addRanking(recommender, node, recommender.recommend(node, { ...everything, limit: 1 }));
      // In each rotation, the end of the buffer falls at a different place in a row.
      for (let first = 0; first < long.length; first += 1) {
        const all = new CsvBuffer();
        let each = '';
        for (let at = 0; at < long.length; at += 1) {
          const one = new CsvBuffer();
          add(one, (first + at) % long.length);
          add(all, (first + at) % long.length);
          each += one.take().toString();
        }
        expect(each.length).toBeGreaterThan(65_536);
        expect(all.take().toString()).toBe(each);
      }
    });
  });

  test('CSV of ranks over 9 and of the scores 0 and 1 is written digit by digit', async () => {
    const model = randomModel({ ids: ids(12), types: 0, itemShare: 1, attributes: 0, rank: 0, seed: 21 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const ranking = recommender.trending(everything);
      ranking.count = 12;
      ranking.score.set([1, 0.9999999, 0.9999994, 0.5, 0.1234567, 1e-6, 4e-7, 0, 0, 0, 0, 0]);
      const csv = new CsvBuffer();
      csv.addRanking(recommender, -1, ranking);
      const rows = parseCsv(csv.take().toString());
      expect(rows.map(([source, , rank]) => [source, rank])).toEqual(rows.map((_, at) => ['', String(at + 1)]));
      expect(rows.slice(0, 8).map((row) => row[3])).toEqual([
        '1.000000', '1.000000', '0.999999', '0.500000', '0.123457', '0.000001', '0.000000', '0.000000',
      ]);
    });
  });

  test('JSON of many lists writes ranks and scores as JavaScript does, wherever its buffer grows', async () => {
    const model = randomModel({ ids: Array.from({ length: 1_200 }, (_, at) => `id-${at}`), types: 1, itemShare: 1, attributes: 0, rank: 0, seed: 21 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const ranking = new Ranking();
      for (let item = 0; item < 1_200; item += 1) ranking.push(item, 0, 0);
      ranking.score.set([1, 0.9999999, 0.9999994, 0.5, 0.1234567, 1e-6, 4e-7, 0, 0.1, 0.000123, 0.30000001, 0.999999]);
      for (const json of [new JsonBuffer(), new JsonExport()]) {
        const lists = ['a', 'ü"', -1].map((source) => {
          json.addRanking(recommender, source, ranking);
          return jsonRows(recommender, source, ranking, null);
        });
        expect(json.length).toBe(Buffer.byteLength(lists.join(',')));
        expect(json.take().toString()).toBe(lists.join(','));
      }
    });
  });

  test('an export in JSON writes the same, whatever the room for texts and rows, and however often rows are taken', async () => {
    const ids = Array.from({ length: 3_000 }, (_, at) => `${at % 5 === 0 ? '"ü\n' : ''}id-${at}`.padEnd(at % 900, 'x'));
    const model = randomModel({ ids, types: 3, itemShare: 1, attributes: 0, rank: 0, seed: 22 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const random = createRandom(4);
      const [json, exported] = [new JsonBuffer(), new JsonExport(1)];
      for (let list = 0; list < 40; list += 1) {
        const ranking = new Ranking();
        const count = list % 10 === 9 ? 3_000 : random.below(50);
        for (let rank = 0; rank < count; rank += 1) ranking.push(random.below(3_000), random.below(10_001) / 10_000, 0);
        ranking.skipped = list * 997;
        const source = list % 4 === 0 ? 'ü\u0001'.repeat(list * 500) : list;
        json.addRanking(recommender, source, ranking);
        exported.addRanking(recommender, source, ranking);
        if (list % 3 !== 0) continue;
        expect(exported.length).toBe(json.length);
        expect(exported.take().equals(json.take())).toBe(true);
      }
      expect(exported.take().equals(json.take())).toBe(true);
      expect(exported.take().length).toBe(0);
    });
  });

  test('JSON parses to the same entries with type, name and address, null where unknown', async () => {
    const model = randomModel({ ids: awkwardIds, types: 1, itemShare: 1, attributes: 0, rank: 0, seed: 21 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      for (let node = 0; node < model.nodes.count; node += 1) {
        const ranking = recommender.recommend(node, everything);
        const text = jsonRows(recommender, node, ranking, null);
        const rows: unknown = JSON.parse(`[${text}]`);
        for (const bytes of [new JsonBuffer(), new JsonExport()]) {
          bytes.addRanking(recommender, node, ranking);
          expect(bytes.take().toString()).toBe(text);
        }
        expect(rows).toEqual(entries(ranking).map(({ item, score }, at) => {
          const target = model.itemNode[item] ?? -1;
          return {
            source_id: model.nodes.ids[node],
            target_id: model.nodes.ids[target],
            rank: at + 1,
            score: Math.round(score * 1e6) / 1e6,
            type: model.types[model.nodes.type[target] ?? -1] ?? null,
            name: model.nodes.names[target] || null,
            media_url: model.nodes.mediaUrls[target] || null,
            reasons: [],
          };
        }));
      }
    });
  });
});

/** A CSV parser according to RFC 4180, for tests only. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += text[at] === '"' ? 2 : 1) field += text[at];
      at += 1;
    } else {
      for (; text[at] !== ',' && text[at] !== '\n'; at += 1) field += text[at];
    }
    row.push(field);
    if (text[at] === '\n') {
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows;
}
