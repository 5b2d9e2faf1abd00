import type { CropPath, PictureEncoding } from './mediaBackend.ts';

/**
 * FFmpeg filters that crop or pad the scaled picture to the size of the encoding; both backends use the same filters, so that
 * they give the same pixels. The filter must receive one picture per frame of the piece, because its variable `n` counts them.
 */
export function framingFilters({ width, height, scaled }: PictureEncoding, path: CropPath | undefined): string[] {
  if (scaled === undefined) return [];
  if (scaled.width < width || scaled.height < height) return [`pad=${width}:${height}:${evenHalf(width - scaled.width)}:${evenHalf(height - scaled.height)}:black`];
  const across = scaled.width - width >= scaled.height - height;
  const room = across ? scaled.width - width : scaled.height - height;
  // The filter truncates, so the expression rounds. `exact` allows odd offsets, which give steadier motion.
  const offset = `'floor(0.5+${path === undefined || path.length === 0 ? String(evenHalf(room)) : offsetExpression(path, 0, path.length - 1)})'`;
  const [x, y] = across ? [offset, evenHalf(scaled.height - height)] : [evenHalf(scaled.width - width), offset];
  return [`crop=${width}:${height}:${x}:${y}:exact=1`];
}

/** Half of the room beside a picture, even: chroma has half the resolution. */
export function evenHalf(length: number): number {
  return 2 * Math.floor(length / 4);
}

/** Offset as a function of `n`: a binary search over the points, because FFmpeg evaluates the expression for each frame. */
function offsetExpression(path: CropPath, first: number, last: number): string {
  const from = path[first]!;
  if (first === last) return text(from.offset);
  if (last - first > 1) {
    const middle = (first + last) >> 1;
    return `if(lt(n,${path[middle]!.frame}),${offsetExpression(path, first, middle)},${offsetExpression(path, middle, last)})`;
  }
  const to = path[last]!;
  const slope = (to.offset - from.offset) / (to.frame - from.frame);
  return `(${text(from.offset)}+${text(slope)}*(clip(n,${from.frame},${to.frame})-${from.frame}))`;
}

function text(value: number): string {
  return String(Number(value.toFixed(4)));
}
