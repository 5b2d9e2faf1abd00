/** Width and height at which pictures are analysed, pixels, yuv420p. */
export const analysisWidth = 96;
export const analysisHeight = 54;

/** What the analysis asks of a decoder. */
export const analysisShape = { width: analysisWidth, height: analysisHeight, format: 'yuv420p' } as const;

/** Length of one layout: mean luma in 8 × 6 cells, then mean U and mean V in 4 × 3 cells. */
export const layoutLength = 8 * 6 + 2 * 4 * 3;

/** Seconds between two layouts. */
export const layoutStep = 0.5;

/** What is measured of the pictures. One value per analysed picture unless said; all numbers are of the 96 × 54 picture. */
export interface FrameTrack {
  /** Presentation times, seconds, ascending. */
  times: Float64Array;
  /** Mean absolute luma difference to the picture before, 0–255; 0 at the first. */
  difference: Float32Array;
  /** The same after compensation of motion: what moved things do not explain. */
  residual: Float32Array;
  /** Length of the common motion vector (a camera's pan), picture widths per second. */
  pan: Float32Array;
  /** Mean luma, 0–255. */
  brightness: Float32Array;
  /** Standard deviation of luma. */
  contrast: Float32Array;
  /** Mean distance of chroma from grey, 0–128. */
  saturation: Float32Array;
  /** Mean absolute luma gradient: text and texture. */
  detail: Float32Array;
  /** Descriptors of the pictures at 0, 0.5, 1, … seconds (the last one not after it), `layoutLength` bytes each. */
  layouts: Uint8Array;
}
