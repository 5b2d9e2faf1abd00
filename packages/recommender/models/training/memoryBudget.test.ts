import { expect, test } from 'vitest';
import { MemoryBudget } from './memoryBudget.ts';

const signal = new AbortController().signal;

test('trainings share the memory, and those without room wait in their order', async () => {
  const budget = new MemoryBudget(1_000);
  const granted: string[] = [];
  const first = await budget.reserve(600, signal);
  const second = await budget.reserve(300, signal);
  const large = budget.reserve(900, signal).then((release) => (granted.push('large'), release));
  const small = budget.reserve(50, signal).then((release) => (granted.push('small'), release));
  expect(budget.hasRoom(1)).toBe(false);
  second();
  second();
  await Promise.resolve();
  expect(granted).toEqual([]);
  first();
  (await large)();
  (await small)();
  expect(granted).toEqual(['large', 'small']);
  expect([budget.hasRoom(1_000), budget.hasRoom(9_000)]).toEqual([true, true]);
});

test('a training that needs more than all runs alone', async () => {
  const budget = new MemoryBudget(1_000);
  const release = await budget.reserve(5_000, signal);
  expect(budget.hasRoom(1)).toBe(false);
  release();
  expect(budget.hasRoom(1_000)).toBe(true);
});

test('a cancelled training leaves the queue, and the next one continues', async () => {
  const budget = new MemoryBudget(1_000);
  const release = await budget.reserve(800, signal);
  const cancel = new AbortController();
  const cancelled = budget.reserve(900, cancel.signal);
  const next = budget.reserve(200, signal);
  cancel.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  (await next)();
  release();
  await expect(budget.reserve(1, cancel.signal)).rejects.toThrow('cancelled');
  expect(budget.hasRoom(1_000)).toBe(true);
});
