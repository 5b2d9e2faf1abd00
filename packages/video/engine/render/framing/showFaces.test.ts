import { describe, expect, it } from 'vitest';
import type { Face } from '../../faces/findFaces.ts';
import type { FrameShape } from './frameShape.ts';
import { facesShare, showFaces } from './showFaces.ts';

const tall: FrameShape = { aspectRatio: '9:16', mode: 'crop', size: { width: 400, height: 720 }, scaled: { width: 1280, height: 720 } };
const faceAt = (left: number, width = 0.16): Face => ({ left, width, top: 0.2, height: 0.4, score: 0.9 });

describe('the crop of one picture', () => {
  it('shows the face that the path of the crop would cut, with room beside it, and else keeps its place', () => {
    const face = faceAt(0.3);
    expect(facesShare(1, [face], tall)).toBe(0);
    const position = showFaces(1, [face], tall);
    expect(facesShare(position, [face], tall)).toBe(1);
    // The crop shows 0.3125 of the width: its left edge is a quarter of the face before the face.
    expect(position * (1 - 0.3125)).toBeCloseTo(0.26, 5);
    expect(showFaces(0.36, [face], tall)).toBeCloseTo(0.36, 5);
    expect(showFaces(0.7, [], tall)).toBe(0.7);
  });

  it('shows the larger of two faces that do not fit, and the middle of a face that is wider than the crop', () => {
    const [small, large] = [faceAt(0.05, 0.1), faceAt(0.7)];
    expect(facesShare(showFaces(0, [small, large], tall), [large], tall)).toBe(1);
    expect(showFaces(0, [faceAt(0.2, 0.6)], tall) * (1 - 0.3125) + 0.3125 / 2).toBeCloseTo(0.5, 5);
  });
});
