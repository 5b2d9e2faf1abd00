import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelFormat, modelVersion } from '../modelFile/modelLayout.ts';
import { loadModel } from '../modelFile/openModel.ts';
import { randomModel } from '../../testing/randomModel.ts';
import { openSectionFile } from '../modelFile/sectionFile.ts';
import { Row } from '../modelFile/wordRows.ts';
import { explain } from './explain.ts';
import { filterTypes, type ListOptions } from './listOptions.ts';
import type { Ranking } from './ranking.ts';
import { Recommender } from './recommender.ts';
import { withModel } from '../../testing/withModel.ts';

const everything: ListOptions = { types: null, limit: 10_000, threshold: 0 };
const options = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(100, 101, 10_000)),
  threshold: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1, noNaN: true })),
  typeNames: fc.option(fc.uniqueArray(fc.constantFrom('type 0', 'type 1', 'no such type'))),
});

describe('the stored list of a user', () => {
  test('is what would be made when it is asked for, whatever limit, threshold and types', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), options, fc.constantFrom(0, 2 ** 28), async (seed, { limit, threshold, typeNames }, memoryBytes) => {
        const model = randomModel({ ids: ids(40), types: 2, itemShare: 0.5, attributes: 4, rank: 3, seed });
        await withModel(model, async (reader) => {
          const stored = new Recommender(reader);
          const file = await openSectionFile(reader.path, { format: modelFormat, newestVersion: modelVersion });
          const made = new Recommender(await loadModel(file, { memoryBytes, storedLists: false, transitions: true }));
          const types = filterTypes(reader, typeNames ?? []);
          for (const node of model.userNode) {
            const list = stored.recommend(node, { types, limit, threshold });
            const expected = made.recommend(node, { types, limit, threshold });
            expect(shown(list)).toEqual(shown(expected));
            expect(list.kind).toBe(expected.kind);
            if (reader.userLists?.read(model.nodeUser[node] ?? -1, new Row()) === true) compared += 1;
          }
          await made.model.close();
        }, memoryBytes);
      }),
      { numRuns: 30 },
    );
    expect(compared).toBeGreaterThan(20);
  });

  test('is read for the default question alone, and explained by the history as before', async () => {
    const model = randomModel({ ids: ids(120), types: 1, itemShare: 0.6, attributes: 4, rank: 3, seed: 7 });
    await withModel(model, (reader) => {
      const recommender = new Recommender(reader);
      const listed = [...model.userNode].filter((node) => recommender.recommend(node, { ...everything, limit: 100 }).kind === 'history');
      expect(listed.length).toBeGreaterThan(10);
      for (const node of listed) {
        const reasons = explain(reader, node, recommender.recommend(node, { ...everything, limit: 100 }));
        expect(reasons).toEqual(explain(reader, node, recommender.recommend(node, everything)));
      }
    });
  });
});

/** The part of a list that answers contain. */
function shown(ranking: Ranking): { item: number | undefined; score: number | undefined }[] {
  return Array.from({ length: ranking.count }, (_, at) => ({ item: ranking.item[at], score: ranking.score[at] }));
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `id ${at}`);
}
