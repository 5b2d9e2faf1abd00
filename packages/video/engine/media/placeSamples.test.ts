import { describe, expect, it } from 'vitest';
import { placeSamples, type SampleRun } from './placeSamples.ts';

async function place(runs: readonly (readonly [number, number[]])[], from = 0, to = Number.POSITIVE_INFINITY, channels = 1): Promise<number[]> {
  async function* source(): AsyncGenerator<SampleRun> {
    for (const [time, samples] of runs) yield { time, samples: Int16Array.from(samples) };
  }
  const out: number[] = [];
  // The sample rate is 100 Hz: one sample time is 10 ms.
  for await (const part of placeSamples(source(), { sampleRate: 100, channels, from, to })) out.push(...part);
  return out;
}

describe('samples lie at their time', () => {
  it('runs behind one another are joined, a gap is silence', async () => {
    expect(await place([[0, [1, 2]], [0.02, [3]], [0.08, [4]]])).toEqual([1, 2, 3, 0, 0, 0, 0, 0, 4]);
  });

  it('what begins late is preceded by silence, and what lies before the place is left out', async () => {
    expect(await place([[0.05, [1, 2]]])).toEqual([0, 0, 0, 0, 0, 1, 2]);
    expect(await place([[-0.02, [1, 2, 3, 4]]])).toEqual([3, 4]);
    expect(await place([[0, [1, 2, 3, 4, 5, 6]]], 0.03)).toEqual([4, 5, 6]);
  });

  it('up to 30 ms off counts as behind one another, more as a gap or an overlap', async () => {
    expect(await place([[0, [1, 2, 3, 4, 5]], [0.08, [6]]])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await place([[0, [1, 2, 3, 4, 5]], [0.02, [6]]])).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await place([[0, [1, 2, 3, 4, 5]], [0.01, [6, 7, 8, 9, 10]]])).toEqual([1, 2, 3, 4, 5, 10]);
    expect(await place([[0, [1, 2]], [0.09, [3]]])).toEqual([1, 2, 0, 0, 0, 0, 0, 0, 0, 3]);
  });

  it('to an end it is exactly as long as asked', async () => {
    expect(await place([[0, [1, 2, 3]]], 0.01, 0.05)).toEqual([2, 3, 0, 0]);
    expect(await place([[0, [1, 2, 3, 4, 5, 6]]], 0, 0.04)).toEqual([1, 2, 3, 4]);
    expect(await place([[7, [1]]], 0, 0.03)).toEqual([0, 0, 0]);
    expect(await place([], 0, 0.02)).toEqual([0, 0]);
    expect(await place([])).toEqual([]);
  });

  it('channels stay together', async () => {
    expect(await place([[0, [1, -1, 2, -2]], [0.09, [3, -3]]], 0.01, 0.1, 2)).toEqual([2, -2, ...Array<number>(14).fill(0), 3, -3]);
  });

  it('a day of silence is handed out in pieces', async () => {
    let longest = 0;
    let total = 0;
    async function* source(): AsyncGenerator<SampleRun> {
      yield { time: 86_400, samples: Int16Array.of(1) };
    }
    for await (const part of placeSamples(source(), { sampleRate: 100, channels: 1, from: 0, to: 86_401 })) {
      longest = Math.max(longest, part.length);
      total += part.length;
    }
    expect(total).toBe(8_640_100);
    expect(longest).toBeLessThanOrEqual(65_536);
  });
});
