import { describe, expect, it } from 'vitest';
import { KeptPictures } from './keptPictures.ts';

const picture = (time: number) => ({ time, data: new Uint8Array(1) });
const fill = (kept: KeptPictures, group: number, times: readonly number[], busy: readonly number[] = []): void => {
  const part = { from: times[0]!, to: times.at(-1)! + 1 };
  for (const time of times) kept.add(group, part, picture(time), new Set([...busy, group]));
};

describe('kept pictures', () => {
  it('are found for every part within the part that was decoded', () => {
    const kept = new KeptPictures();
    fill(kept, 0, [0, 1, 2, 3]);
    expect(kept.find(0, { from: 1, to: 3 })?.map(({ time }) => time)).toEqual([1, 2]);
    expect(kept.find(0, { from: 1, to: 5 })).toBeNull();
    expect(kept.find(1, { from: 1, to: 2 })).toBeNull();
  });

  it('are replaced when the group is decoded again', () => {
    const kept = new KeptPictures(4);
    fill(kept, 0, [0, 1]);
    fill(kept, 0, [0, 1, 2, 3]);
    expect(kept.find(0, { from: 0, to: 4 })).toHaveLength(4);
  });

  it('make room for new groups: the group that was not used for the longest time goes first', () => {
    const kept = new KeptPictures(4);
    fill(kept, 0, [0, 1]);
    fill(kept, 1, [2, 3]);
    kept.find(0, { from: 0, to: 1 });
    fill(kept, 2, [4, 5]);
    expect([0, 1, 2].map((group) => kept.find(group, { from: 2 * group, to: 2 * group + 1 }) !== null)).toEqual([true, false, true]);
  });

  it('are none where there is room for none', () => {
    const kept = new KeptPictures(0);
    fill(kept, 0, [0, 1]);
    fill(kept, 1, [2, 3]);
    expect([kept.find(0, { from: 0, to: 1 }), kept.find(1, { from: 2, to: 3 })]).toEqual([null, null]);
  });

  it('do not displace groups in use, and are never kept in part', () => {
    const kept = new KeptPictures(4);
    fill(kept, 0, [0, 1]);
    fill(kept, 1, [2, 3, 4], [0]);
    expect(kept.find(0, { from: 0, to: 2 })).toHaveLength(2);
    expect(kept.find(1, { from: 2, to: 3 })).toBeNull();
  });
});
