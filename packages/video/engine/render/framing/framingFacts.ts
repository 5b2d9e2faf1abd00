import type { Framing } from '../../report/shapedPreviews.ts';
import type { CropTrack } from './followMotion.ts';
import type { FrameShape } from './frameShape.ts';

/** Facts about a file in a shape; none for the shape of the video if no aspect ratio was requested. */
export function framingFacts({ aspectRatio, mode, size, scaled }: FrameShape, track: Pick<CropTrack, 'motionShare' | 'facesShare'> | undefined): { aspectRatio?: string; framing?: Framing } {
  if (aspectRatio === null && mode === 'whole') return {};
  const cropped = mode === 'crop';
  const [motionShare, facesShare] = cropped ? [track?.motionShare ?? null, track?.facesShare ?? null] : [1, null];
  return {
    ...(aspectRatio === null ? {} : { aspectRatio }),
    framing: {
      mode,
      picture_share: cropped ? round((size.width * size.height) / (scaled.width * scaled.height)) : 1,
      motion_share: motionShare === null ? null : round(motionShare),
      faces_share: facesShare === null ? null : round(facesShare),
    },
  };
}

function round(share: number): number {
  return Number(share.toFixed(3));
}
