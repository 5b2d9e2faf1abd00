import type { Blend } from './blendFinder.ts';
import type { PageChange } from './pageFinder.ts';
import type { Ramp } from './rampFinder.ts';

/** Largest distance, in pictures, over which resemblance is measured, so that flashes of up to 4 pictures are detected. */
export const resemblanceLags = 5;

/**
 * Measurements for shot detection in addition to the FrameTrack; one value per analysed picture, compared with the previous
 * picture.
 */
export interface ChangeTrack {
  /** Mean absolute difference of chroma after motion compensation, 0–255. */
  chroma: Float32Array;
  /** Earth mover's distance of the luma histograms, levels of grey. */
  histogram: Float32Array;
  /**
   * Normalised cross-correlation of luma with the picture 1, 2, … 5 pictures earlier, −1 to 1; 1 if there is no such picture.
   */
  resemblance: readonly Float32Array[];
  /** Possible dissolves and fades, in chronological order. */
  ramps: readonly Ramp[];
  /** Possible dissolves of one to four pictures, ascending by their end, overlapping. */
  blends: readonly Blend[];
  /**
   * Share of the previous picture's blocks with a pattern that show something else, 0–1; −1 unless both pictures may be pages (`replacedShare`) and are
   * at least half a second apart, as key frames are.
   */
  replaced: Float32Array;
  /** The same for the picture two before. */
  replacedOverTwo: Float32Array;
  /** Changes between still pages, in chronological order. */
  pages: readonly PageChange[];
}
