import { expect, test } from 'vitest';
import { maxCalldataBytes, deadlineNearMs, decideFlush, type QueueSummary } from './flushWindow.ts';

const limits = { windowMs: 500, operations: 400, gas: 16_000_000 };
const now = 1_000_000;
const queue = (more: Partial<QueueSummary>): QueueSummary =>
  ({ operations: 3, gas: 60_000, calldataBytes: 600, oldestMs: now - 100, deadlineMs: now + 3_600_000, ...more });

test('an empty queue waits for a call, a young one for the rest of its window', () => {
  expect(decideFlush(queue({ operations: 0, oldestMs: null, deadlineMs: null }), limits, now)).toEqual({ flush: false, waitMs: null });
  expect(decideFlush(queue({}), limits, now)).toEqual({ flush: false, waitMs: 400 });
});

test('whichever limit is reached first flushes, at its exact value', () => {
  const cases: [Partial<QueueSummary>, Partial<QueueSummary>, string][] = [
    [{ oldestMs: now - 500 }, { oldestMs: now - 499 }, 'age'],
    [{ operations: 400 }, { operations: 399 }, 'full'],
    [{ gas: 16_000_000 }, { gas: 15_999_999 }, 'full'],
    [{ calldataBytes: maxCalldataBytes }, { calldataBytes: maxCalldataBytes - 1 }, 'full'],
    [{ deadlineMs: now + deadlineNearMs }, { deadlineMs: now + deadlineNearMs + 1 }, 'deadline'],
  ];
  for (const [at, below, because] of cases) {
    expect(decideFlush(queue(at), limits, now)).toEqual({ flush: true, because });
    expect(decideFlush(queue(below), limits, now)).toMatchObject({ flush: false });
  }
});

test('a time of acceptance ahead of the clock delays the queue by two windows at most', () => {
  expect(decideFlush(queue({ oldestMs: now + 500 }), limits, now)).toEqual({ flush: false, waitMs: 500 });
  expect(decideFlush(queue({ oldestMs: now + 501 }), limits, now)).toEqual({ flush: true, because: 'age' });
  expect(decideFlush(queue({ oldestMs: now + 3_600_000 }), limits, now)).toEqual({ flush: true, because: 'age' });
});
