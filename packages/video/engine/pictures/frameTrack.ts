/** Width and height at which pictures are analysed, pixels, yuv420p. */
export const analysisWidth = 96;
export const analysisHeight = 54;

/** Picture size and pixel format that the analysis requests from the decoder. */
export const analysisShape = { width: analysisWidth, height: analysisHeight, format: 'yuv420p' } as const;

/** Length of one layout: mean luma in 8 × 6 cells, then mean U and mean V in 4 × 3 cells. */
export const layoutLength = 8 * 6 + 2 * 4 * 3;

/** Seconds between two layouts. */
export const layoutStep = 0.5;

/** Added to the standard deviation in `sharpness`, so that noise in a flat picture is no sharp step; levels of grey. */
export const sharpnessFloor = 2;

/**
 * Measurements of the pictures, one value per analysed picture unless stated otherwise. All values refer to the 96 × 54
 * picture.
 */
export interface FrameTrack {
  /** Presentation times, seconds, ascending. */
  times: Float64Array;
  /** Mean absolute luma difference from the previous picture, 0–255; 0 for the first picture. */
  difference: Float32Array;
  /** Mean absolute luma difference after motion compensation, 0–255: changes that motion does not explain. */
  residual: Float32Array;
  /** Length of the camera's motion vector (pan), picture widths per second. */
  pan: Float32Array;
  /** Mean luma, 0–255. */
  brightness: Float32Array;
  /** Standard deviation of luma, levels of grey. */
  contrast: Float32Array;
  /** Mean distance of chroma from grey, 0–128. */
  saturation: Float32Array;
  /** Mean absolute luma gradient, levels of grey; high for text and texture. */
  detail: Float32Array;
  /**
   * Steepest luma step between neighbouring pixels, in standard deviations of luma, inside black bars: above 1.3 in pictures with
   * something in focus, below 0.95 in pictures without.
   */
  sharpness: Float32Array;
  /** Layouts at 0, 0.5, 1, … seconds, `layoutLength` bytes each: the last picture that is not later than the time. */
  layouts: Uint8Array;
  /** Numbers of the still pages, such as slides, at 0, 0.5, 1, … seconds: the same number for the same page, 0 where no page is still. */
  pages: Uint32Array;
}

/** Steepest luma step between neighbouring pixels of a picture, levels of grey; somewhat too high in pictures with black bars. */
export function steepestStep({ sharpness, contrast }: FrameTrack, index: number): number {
  return sharpness[index]! * (contrast[index]! + sharpnessFloor);
}
