import { expect, test } from 'vitest';
import { describeQueue, describeTurn } from './describeQueue.ts';

test('a queued run names the runs ahead of it, and the first one the worker', () => {
  expect([3, 1, 0, null].map((ahead) => describeQueue({ runs_ahead: ahead }))).toEqual(
    ['waiting for 3 runs ahead', 'waiting for 1 run ahead', 'waiting for a worker', 'waiting for a worker']);
});

test('of the queued trainings of a model, only the oldest waits for a worker', () => {
  const open = [{ created_at: '2026-03-02T09:30:01.000Z' }, { created_at: '2026-03-02T09:30:00.000Z' }];
  expect(open.map((training) => describeTurn(training, open))).toEqual(['waiting for the training before', 'waiting for a worker']);
  expect(describeTurn(open[0]!, undefined)).toBe('waiting for its turn');
});
