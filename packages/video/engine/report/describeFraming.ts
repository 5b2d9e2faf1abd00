/** Size of a preview, and what the preview shows of the pictures of the video. */
export interface FramedSize {
  width: number;
  height: number;
  /** Requested aspect ratio; absent if the options name none. */
  aspectRatio?: string;
  framing: { mode: 'whole' | 'crop' | 'pad'; picture_share: number; motion_share: number | null };
}

/** Describes a shape in one sentence part, for example `9:16, 594 × 1056; the crop shows 31 % of the picture and 84 % of the motion`. */
export function describeFraming({ width, height, aspectRatio, framing }: FramedSize): string {
  const size = `${aspectRatio === undefined ? '' : `${aspectRatio}, `}${width} × ${height}`;
  if (framing.mode === 'whole') return `${size}; the whole picture`;
  if (framing.mode === 'pad') return `${size}; the whole picture with black bars`;
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  return `${size}; the crop shows ${percent(framing.picture_share)} of the picture${framing.motion_share === null ? '' : ` and ${percent(framing.motion_share)} of the motion`}`;
}
