import { expect, test } from 'vitest';
import { createProgress } from './progress.ts';

const kind = { name: 'k', stages: [{ name: 'a', share: 0.25 }, { name: 'b', share: 0.75 }] };

test('progress adds up stages by their shares', () => {
  const progress = createProgress(kind, 0);
  progress.enter('a');
  progress.within(0.5);
  expect(progress.total).toBe(0.125);
  progress.leave('a');
  progress.enter('b');
  progress.within(2 / 3);
  expect(progress.total).toBeCloseTo(0.75, 12);
  expect(progress.stage).toBe('b');
});

test('progress never falls, whatever a stage or an earlier attempt reported', () => {
  const progress = createProgress(kind, 0.6);
  progress.enter('a');
  progress.within(1);
  expect(progress.total).toBe(0.6);
  progress.enter('b');
  progress.within(Number.NaN);
  progress.within(-3);
  expect(progress.total).toBe(0.6);
  progress.within(17);
  expect(progress.total).toBe(1);
});

test('a stage that the kind does not have is a programming error', () => {
  expect(() => createProgress(kind, 0).enter('c')).toThrow('the kind k has no stage c');
});
