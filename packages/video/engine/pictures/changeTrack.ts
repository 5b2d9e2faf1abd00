import type { Ramp } from './rampFinder.ts';

/** Largest distance, in pictures, over which resemblance is measured. A flash of up to 4 pictures is seen through. */
export const resemblanceLags = 5;

/** What shot detection needs beside the FrameTrack: one value per analysed picture, against the picture before it. */
export interface ChangeTrack {
  /** Mean absolute difference of chroma after compensation of motion, 0–255. */
  chroma: Float32Array;
  /** Earth mover's distance of the luma histograms, levels of grey. */
  histogram: Float32Array;
  /** Normalised cross-correlation of luma with the picture 1, 2, … 5 before, −1 to 1; 1 where there is none. */
  resemblance: readonly Float32Array[];
  /** Stretches that look like dissolves or fades, in order. */
  ramps: readonly Ramp[];
}
