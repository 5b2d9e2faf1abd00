import { expect, it } from 'vitest';
import { dropRestless } from './dropRestless.ts';
import type { Transition } from './shot.ts';

const dissolve = (start: number): Transition => ({ kind: 'dissolve', start, end: start + 0.2, confidence: 0.6 });

it('keeps dissolves that stand alone and drops those that follow each other without rest', () => {
  const alone = [dissolve(2), dissolve(4.5), dissolve(60)];
  const water = Array.from({ length: 40 }, (_, index) => dissolve(20 + index * 0.25));
  const all = [...alone, ...water].sort((a, b) => a.start - b.start);
  expect(dropRestless(all)).toEqual(alone);
});
