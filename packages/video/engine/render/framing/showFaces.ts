import { shareOfFaces } from '../../faces/facesShown.ts';
import type { Face } from '../../faces/findFaces.ts';
import { cropOf, type FrameShape } from './frameShape.ts';
import { startsForFaces } from './startsForFaces.ts';

/** Room beside a face, as a share of its sides: the bounds of the detector end at the forehead and the chin. */
const beside = 0.25;

/**
 * The position of a crop of one picture, 0–1, that is nearest to `position` and shows its faces with some room beside them. Of faces that do not fit into the crop
 * together, the largest remain. Without faces, `position`.
 */
export function showFaces(position: number, faces: readonly Face[], shape: FrameShape): number {
  const { axis, share } = cropOf(shape);
  const roomy = faces.map(({ left, top, width, height, score }) => (
    { left: left - beside * width, top: top - beside * height, width: (1 + 2 * beside) * width, height: (1 + 2 * beside) * height, score }));
  const [starts] = startsForFaces([{ time: 0, faces: roomy }], axis, share);
  if (starts === null || starts === undefined || share >= 1) return position;
  return Math.max(starts.from, Math.min(starts.to, position * (1 - share))) / (1 - share);
}

/** Share of the areas of the faces of one picture that a crop at `position` shows, 0–1; null without faces. */
export function facesShare(position: number, faces: readonly Face[], shape: FrameShape): number | null {
  const { axis, share } = cropOf(shape);
  return shareOfFaces([{ time: 0, faces }], axis, () => ({ from: position * (1 - share), length: share }));
}
