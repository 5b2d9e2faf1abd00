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
      for (const node of reader.nodeType.keys()) csv.addRanking(recommender, node, recommender.recommend(node, options));
      const [answered, stored] = [csvHeader + csv.take().toString(), await readFile(fixture(`model-v${version}.csv`), 'utf8')];
      // A version 1 file has no lists of users: their scores follow today's formula, their order the file.
      const compared = (text: string): string => (version === 1 ? text.replaceAll(/,[01]\.\d{6}$/gm, '') : text);
      expect(compared(answered)).toBe(compared(stored));
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
});
