import { afterEach, expect, test } from 'vitest';
import { closeWorkerPool, openWorkerPool, runTask, ThreadEnded } from './workerPool.ts';

const program = new URL('./fixtures/endingWorker.mjs', import.meta.url);

afterEach(closeWorkerPool);

test.each([
  ['leave', 'code 7'],
  ['throw', 'a fault of this thread'],
  ['fill the heap', 'ERR_WORKER_OUT_OF_MEMORY'],
])('a thread that ends in the middle of a task ends the task with its reason: %s', async (kind, reason) => {
  await openWorkerPool(2, { program, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  const task = () => runTask({ kind, content: null }, () => null, () => {}, new Int32Array(new SharedArrayBuffer(4)));
  expect(task).toThrow(ThreadEnded);
  await openWorkerPool(2, { program, resourceLimits: { maxOldGenerationSizeMb: 16 } });
  expect(task).toThrow(reason);
});

test('opening a pool fails where a thread cannot begin', async () => {
  await expect(openWorkerPool(3, { program: new URL('./fixtures/missing.mjs', import.meta.url) })).rejects.toThrow('MODULE_NOT_FOUND');
});
