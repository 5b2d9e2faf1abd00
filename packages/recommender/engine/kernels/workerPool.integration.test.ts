import { afterEach, expect, test } from 'vitest';
import { closeCrew, openCrew, runOrder, ThreadEnded } from './workerPool.ts';

const program = new URL('./fixtures/endingWorker.mjs', import.meta.url);

afterEach(closeCrew);

test.each([
  ['leave', 'code 7'],
  ['throw', 'a fault of this thread'],
  ['fill the heap', 'ERR_WORKER_OUT_OF_MEMORY'],
])('a thread that ends in the middle of an order ends the order with its reason: %s', async (kind, reason) => {
  await openCrew(2, { program, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  const order = () => runOrder({ kind, content: null }, () => null, () => {}, new Int32Array(new SharedArrayBuffer(4)));
  expect(order).toThrow(ThreadEnded);
  await openCrew(2, { program, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  expect(order).toThrow(reason);
});

test('a thread that cannot begin is an error of opening the crew', async () => {
  await expect(openCrew(3, { program: new URL('./fixtures/missing.mjs', import.meta.url) })).rejects.toThrow('MODULE_NOT_FOUND');
});
