/** What a preview or poster shows of the pictures of the video. */
export interface Framing {
  mode: 'whole' | 'crop' | 'pad';
  /** Share of the area of the picture, 0–1. */
  picture_share: number;
  /** Share of the measured motion, 0–1; null if nothing moves. */
  motion_share: number | null;
  /** Share of the faces that a crop shows, 0–1; null without a crop, without faces, or if faces are not searched. */
  faces_share: number | null;
}

/** An output file that may have a requested shape. */
interface OutputFile {
  kind: string;
  path: string;
  width?: number;
  height?: number;
  aspectRatio?: string;
  framing?: Framing;
}

/** A preview in a requested shape. */
export interface ShapedPreview {
  path: string;
  /** The shape in one sentence part, for example `9:16, 594 × 1056; the crop shows 31 % of the picture, 84 % of the motion`. */
  shape: string;
}

/** Lists the previews in requested shapes, without posters, which have the shape of a preview, and without the segments of HLS, which a playlist names. */
export function listShaped(files: readonly OutputFile[]): ShapedPreview[] {
  return files.flatMap(({ kind, path, width, height, aspectRatio, framing }) => {
    if (kind === 'poster' || kind === 'hls-media' || framing === undefined) return [];
    return [{ path, shape: `${aspectRatio === undefined ? '' : `${aspectRatio}, `}${width} × ${height}; ${describeFraming(framing)}` }];
  });
}

/** Describes what a preview or poster shows of the pictures, for example `the crop shows 31 % of the picture, 84 % of the motion`. */
export function describeFraming({ mode, picture_share: picture, motion_share: motion, faces_share: faces }: Framing): string {
  if (mode === 'whole') return 'the whole picture';
  if (mode === 'pad') return 'the whole picture with black bars';
  const percent = (share: number): string => `${Math.round(100 * share)} %`;
  const shown = [[picture, 'picture'], [motion, 'motion'], [faces, 'faces']] as const;
  return `the crop shows ${shown.flatMap(([share, what]) => (share === null ? [] : [`${percent(share)} of the ${what}`])).join(', ')}`;
}
