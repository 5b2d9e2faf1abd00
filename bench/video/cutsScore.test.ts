import { describe, expect, it } from 'vitest';
import { addCounts, rates, scoreCuts } from './cutsScore.ts';

describe('the score of cuts', () => {
  it('matches each cut once, within its tolerance', () => {
    const counts = scoreCuts({ hard: [10, 11, 52, 90], gradual: [] }, { hard: [10, 50, 70], gradual: [], flashes: [] });
    expect(counts.near).toEqual({ found: 1, false: 3, missed: 2 });
    expect(counts.wide).toEqual({ found: 2, false: 2, missed: 1 });
    expect(rates(counts.wide)).toEqual({ precision: 0.5, recall: 2 / 3, f1: 4 / 7 });
  });

  it('takes a hard cut inside a dissolve neither for right nor for wrong', () => {
    const counts = scoreCuts({ hard: [25], gradual: [] }, { hard: [], gradual: [{ first: 20, last: 30 }], flashes: [] });
    expect(counts.near).toEqual({ found: 0, false: 0, missed: 0 });
    expect(counts.gradual).toEqual({ found: 0, false: 0, missed: 1 });
    expect(counts.gradualNoticed).toBe(1);
  });

  it('wants half of a dissolve, and only once', () => {
    const known = { hard: [], gradual: [{ first: 20, last: 29 }], flashes: [] };
    expect(scoreCuts({ hard: [], gradual: [{ first: 26, last: 40 }] }, known).gradual).toEqual({ found: 0, false: 1, missed: 1 });
    expect(scoreCuts({ hard: [], gradual: [{ first: 25, last: 40 }, { first: 19, last: 24 }] }, known).gradual).toEqual({ found: 1, false: 1, missed: 0 });
  });

  it('counts alarms at flashes and adds up over clips', () => {
    const one = scoreCuts({ hard: [41], gradual: [] }, { hard: [], gradual: [], flashes: [40, 80] });
    expect(one).toMatchObject({ flashAlarms: 1, flashes: 2, near: { found: 0, false: 1, missed: 0 } });
    expect(addCounts([one, one])).toMatchObject({ flashAlarms: 2, flashes: 4, near: { false: 2 } });
    expect(rates(one.gradual).f1).toBe(1);
  });
});
