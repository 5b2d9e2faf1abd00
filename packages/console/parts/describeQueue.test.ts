import { expect, test } from 'vitest';
import { describeQueue } from './describeQueue.ts';

test('a queued run names the runs ahead of it, and the first one the worker', () => {
  expect([3, 1, 0, null].map((ahead) => describeQueue({ runs_ahead: ahead }))).toEqual(
    ['waiting for 3 runs ahead', 'waiting for 1 run ahead', 'waiting for a worker', 'waiting for a worker']);
});
