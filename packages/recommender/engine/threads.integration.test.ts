import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { defaultSetting } from './data/defaultSetting.ts';
import { closeWorkerPool, poolSize, openWorkerPool } from './kernels/workerPool.ts';
import { createRandom } from './linear/random.ts';
import { writeModel } from './writeModel.ts';
import { trainingData, type EntityRow, type PairRow } from '../testing/testData.ts';
import { train } from '../testing/train.ts';
import { computeFactors } from './factors/computeFactors.ts';
import { computeNeighbours } from './neighbours/computeNeighbours.ts';
import { closeListFile, openListFile } from './lists/listFile.ts';
import { modelFormat, modelVersion } from './modelFile/modelLayout.ts';
import { openSectionFile } from './modelFile/sectionFile.ts';
import type { OperatorSetting, TrainingData } from './data/trainingData.ts';

const folder = mkdtempSync(join(tmpdir(), 'threads-'));

afterAll(async () => {
  await closeWorkerPool();
  rmSync(folder, { recursive: true });
});

/** Enough pairs to use the kernels, with two types of items; some items have attributes, some have few users. */
function libraryData(): TrainingData {
  const random = createRandom(3);
  const items = 300;
  const entities = Array.from({ length: items + 40 }, (_, n): EntityRow => [
    `item-${n}`, n % 7 === 0 ? 'series' : 'film', '', { genre: `genre-${n % 13}`, year: 1950 + (n % 70) },
  ]);
  const pairs: PairRow[] = [];
  for (let user = 0; user < 1300; user++) {
    const seen = new Set<number>();
    const taste = random.below(13);
    while (seen.size < 40) {
      const item = Math.floor(items * random.uniform() ** 2);
      if (item % 13 === taste || random.uniform() < 0.3) seen.add(item);
    }
    for (const item of seen) pairs.push([`user-${user}`, `item-${item}`, 1e12 + random.below(1e9)]);
  }
  return trainingData(entities, pairs);
}

const data = libraryData();
/** The model that a single thread produces. */
let expected: ModelPrint;

/** Hash of a model file, and the checksums of its sections, which name the section that differs. */
interface ModelPrint {
  hash: string;
  sections: Record<string, string>;
}

/**
 * @param filed true keeps lists in a file until the model is written, as a training process does; false keeps lists in memory
 */
async function modelPrint(filed = false, exponents: OperatorSetting = defaultSetting): Promise<ModelPrint> {
  const path = join(folder, 'model.bin');
  const options = { setting: { ...exponents, transitions: 0.3 }, seed: 5 };
  const file = filed ? openListFile(join(folder, 'lists.bin')) : null;
  const factors = computeFactors(data, options, () => {});
  await writeModel(computeNeighbours(data, factors, options, () => {}, null, file), path);
  if (file !== null) closeListFile(file);
  const { handle, header } = await openSectionFile(path, { format: modelFormat, newestVersion: modelVersion });
  await handle.close();
  return {
    hash: createHash('sha256').update(readFileSync(path)).digest('hex'),
    sections: Object.fromEntries(header.sections.map(({ name, crc32 }) => [name, crc32])),
  };
}

beforeAll(async () => { expected = await modelPrint(); });

test('one, two and three threads make the same model file, wherever its lists wait', async () => {
  expect(data.pairs.count).toBeGreaterThan(50_000);
  for (const threads of [2, 3]) {
    await openWorkerPool(threads);
    expect(poolSize()).toBe(threads);
    expect(await modelPrint(true)).toEqual(expected);
  }
  expect(existsSync(join(folder, 'lists.bin'))).toBe(false);
});

exhaustiveTest('a search over all pairs makes the same model file with any number of threads', async () => {
  const sparse = { pu: -0.5, pa: -0.5, pb: -0.05, T: -1, b: 2, allPairs: true };
  await closeWorkerPool();
  const single = await modelPrint(false, sparse);
  await openWorkerPool(3);
  expect(await modelPrint(true, sparse)).toEqual(single);
  expect(single).not.toEqual(expected);
});

exhaustiveTest.each([
  ['a ridge', { ridge: 0.5, lambda: 20 }],
  ['alternating least squares', { als: 2 }],
  ['metadata', { content: 0.02 }],
])('%s beside the operator makes the same model file with any number of threads', async (_, summand) => {
  const plain = { ...defaultSetting, allPairs: true };
  await closeWorkerPool();
  const single = await modelPrint(false, { ...plain, ...summand });
  await openWorkerPool(2);
  expect(await modelPrint(true, { ...plain, ...summand })).toEqual(single);
  expect(await modelPrint(true, plain)).not.toEqual(single);
});

exhaustiveTest('an abort is heard while several threads work', async () => {
  await openWorkerPool(2);
  const controller = new AbortController();
  const stop = (stage: string, fraction: number): void => {
    if (stage === 'neighbours' && fraction > 0.5) controller.abort(new Error('enough'));
  };
  expect(() => train(data, { setting: defaultSetting, seed: 5 }, stop, controller.signal)).toThrow('enough');
  // The threads are ready for the next training.
  expect(await modelPrint()).toEqual(expected);
});
