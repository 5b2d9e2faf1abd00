import { describe, expect, it } from 'vitest';
import { composeClip } from './cutsCompose.ts';
import { takesOf } from './cutsLabels.ts';
import { clipBytes, clipHeight, clipWidth } from './cutsSynthetic.ts';

describe('composed clips', () => {
  const { pictures, labels } = composeClip(3, []);

  it('jump at each hard cut more than around it', () => {
    expect(labels.frames).toBe(pictures.length);
    expect(labels.hard.length).toBeGreaterThan(0);
    const jump = (frame: number): number => {
      let sum = 0;
      for (let at = 0; at < clipWidth * clipHeight; at++) sum += Math.abs(pictures[frame]![at]! - pictures[frame - 1]![at]!);
      return sum / (clipWidth * clipHeight);
    };
    for (const cut of labels.hard) expect(jump(cut)).toBeGreaterThan(Math.max(jump(cut - 1), jump(cut + 1)));
  });

  it('have transitions in order that do not overlap, and pictures of one size', () => {
    const spans = [...labels.hard.map((frame) => ({ first: frame, last: frame })), ...labels.gradual].sort((one, other) => one.first - other.first);
    expect(spans.length).toBe(12);
    for (let place = 1; place < spans.length; place++) expect(spans[place]!.first).toBeGreaterThan(spans[place - 1]!.last);
    expect(pictures.every(({ length }) => length === clipBytes)).toBe(true);
  });
});

describe('takes of a labelled clip', () => {
  it('lie between its changes and keep a frame away from each', () => {
    expect(takesOf({ hard: [50], gradual: [[80, 90]] }, 120)).toEqual([{ from: 1, to: 49 }, { from: 51, to: 79 }, { from: 92, to: 119 }]);
  });

  it('are one where nothing changes', () => {
    expect(takesOf({ hard: [], gradual: [] }, 60)).toEqual([{ from: 1, to: 59 }]);
  });
});
