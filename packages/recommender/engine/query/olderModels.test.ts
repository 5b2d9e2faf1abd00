import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { openModel } from '../modelFile/openModel.ts';
import { modelVersion } from '../modelFile/modelLayout.ts';
import { CsvBuffer, csvHeader } from './csvRows.ts';
import { explain } from './explain.ts';
import { Recommender } from './recommender.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../modelFile/fixtures/${name}`, import.meta.url));
const options = { types: null, limit: 5, threshold: 0 };

/**
 * Model files written by each version of the format, with their lists (five entries per source). Existing files are never
 * regenerated; a new version adds its own pair of files.
 */
describe('model files of every version stay readable:', () => {
  const versions = Array.from({ length: modelVersion }, (_, at) => at + 1);

  test.each(versions)('version %i answers as it did', async (version) => {
    for (const memoryBytes of [0, 2 ** 20]) {
      const reader = await openModel(fixture(`model-v${version}.bin`), { memoryBytes });
      const recommender = new Recommender(reader);
      const csv = new CsvBuffer();
      const stored = await readFile(fixture(`model-v${version}.csv`), 'utf8');
      for (const node of reader.nodeType.keys()) {
        const before = csv.length;
        csv.addRanking(recommender, node, recommender.recommend(node, options));
        // A version 1 file has no lists of users; today's formula of their scores also merges their types differently.
        const isUser = (reader.nodeItem[node] ?? -1) < 0;
        if (version === 1 && !isUser && csv.length > before) expect(stored).toContain(csv.take().toString());
        else if (version === 1) csv.take();
      }
      if (version > 1) expect(csvHeader + csv.take().toString()).toBe(stored);
      await reader.close();
    }
  });

  test('version 1 still gives names, addresses and reasons', async () => {
    const reader = await openModel(fixture('model-v1.bin'));
    const recommender = new Recommender(reader);
    const kinds = new Set<string>();
    for (const node of reader.nodeType.keys()) {
      for (const reason of explain(reader, node, recommender.recommend(node, options)).flat()) kinds.add(reason.kind);
    }
    expect([...kinds].sort()).toEqual(['attribute', 'co_interaction', 'history', 'trending']);
    const node = reader.findNode('🎬🍿');
    expect([reader.ids.get(node), reader.names.get(node)]).toEqual(['🎬🍿', 'Name of 🎬🍿']);
    await reader.close();
  });

  test('the reasons of files before version 5 are computed with the formula of their lists', async () => {
    const reader = await openModel(fixture('model-v4.bin'));
    const recommender = new Recommender(reader);
    const items = [...reader.itemNode];
    const reasons = items.flatMap((node) => explain(reader, node, recommender.recommend(node, options)).flat());
    // Computed by the program that wrote the file, which gave three entries no reason; theirs are .785394617, .396717786 and .110345851.
    expect(reasons).toHaveLength(48 + 3);
    expect(reasons.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(38.50287945 + 0.785394617 + 0.396717786 + 0.110345851, 6);
    await reader.close();
  });
});
