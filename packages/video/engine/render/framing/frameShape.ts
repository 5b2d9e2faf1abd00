import type { Axis } from '../../faces/facesShown.ts';
import { aspectOf } from '../../options/aspectRatio.ts';
import type { SummaryOptions } from '../../options/options.schema.ts';
import { defaultLargerSide, even, fitSize, type Size } from './fitSize.ts';

/** Shape of one preview, and how the picture of the video gets it. */
export interface FrameShape {
  /** Aspect ratio in the words of the request, such as `9:16`; null if the request named none. */
  aspectRatio: string | null;
  /** Size of the preview, pixels, even. */
  size: Size;
  /** Size of the whole scaled picture; larger than `size` on one axis for a crop, smaller for padding, equal for `whole`. */
  scaled: Size;
  mode: 'whole' | 'crop' | 'pad';
}

type ShapeOptions = Pick<SummaryOptions, 'width' | 'height' | 'aspect_ratios' | 'framing'>;

/** Largest part of a side that may be given up so that the aspect ratio is exact in even pixels. */
const exactnessCost = 0.1;
/** A shape that differs by at most this many pixels from the scaled picture is the whole picture. */
const nearlyWhole = 2;

/** Lists the shapes of the previews that the options request: one shape, or one for each aspect ratio. */
export function listShapes(video: Size, options: ShapeOptions): FrameShape[] {
  const { aspect_ratios: ratios, framing, width, height } = options;
  if (ratios !== undefined) return ratios.map((ratio) => ({ aspectRatio: ratio, ...shapeOf(video, sizeOf(video, ratio, options), framing ?? 'crop') }));
  const exact = framing !== undefined && width !== undefined && height !== undefined;
  if (exact) return [{ aspectRatio: null, ...shapeOf(video, { width: even(width), height: even(height) }, framing) }];
  const size = fitSize(video, { width, height });
  return [{ aspectRatio: null, size, scaled: size, mode: 'whole' }];
}

/** The axis along which a crop of a shape lies, and the share of the picture that the crop shows along it. */
export function cropOf({ size, scaled }: Pick<FrameShape, 'size' | 'scaled'>): { axis: Axis; share: number } {
  return scaled.width > size.width ? { axis: 'columns', share: size.width / scaled.width } : { axis: 'rows', share: size.height / scaled.height };
}

/** Ending of the file names of a shape: `-9x16`; empty without an aspect ratio. */
export function shapeSuffix({ aspectRatio }: Pick<FrameShape, 'aspectRatio'>): string {
  return aspectRatio === null ? '' : `-${aspectRatio.replace(':', 'x')}`;
}

/** Size of a preview with an aspect ratio: one requested side, or the largest size that needs no larger picture. */
function sizeOf(video: Size, ratio: string, { width, height, framing }: ShapeOptions): Size {
  const aspect = aspectOf(ratio);
  if (width !== undefined) return { width: even(width), height: even(width / aspect) };
  if (height !== undefined) return { width: even(height * aspect), height: even(height) };
  const within = framing === 'pad' ? boundsOfPadding(video, aspect) : largestWithin(video, aspect);
  const scale = Math.min(1, defaultLargerSide / Math.max(within.width, within.height));
  return exactSize({ width: within.width * scale, height: within.height * scale }, ratio);
}

function largestWithin({ width, height }: Size, aspect: number): Size {
  return width / height > aspect ? { width: height * aspect, height } : { width, height: width / aspect };
}

/** The canvas has the longer side of the video, so that a tall canvas for a wide video is not huge. */
function boundsOfPadding(video: Size, aspect: number): Size {
  const side = Math.max(video.width, video.height);
  return aspect > 1 ? { width: side, height: side / aspect } : { width: side * aspect, height: side };
}

/** The largest even size with exactly the aspect ratio, if this costs little; otherwise the nearest even size. */
function exactSize(within: Size, ratio: string): Size {
  const [a, b] = ratio.split(':').map(Number) as [number, number];
  const common = divisor(a, b);
  const step = { width: (2 * a) / common, height: (2 * b) / common };
  const steps = Math.floor(within.width / step.width + 1e-6);
  const exact = { width: steps * step.width, height: steps * step.height };
  const good = exact.width >= within.width * (1 - exactnessCost) && Math.min(exact.width, exact.height) >= 16;
  return good ? exact : { width: even(within.width), height: even(within.height) };
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

function shapeOf(video: Size, size: Size, framing: 'crop' | 'pad'): Omit<FrameShape, 'aspectRatio'> {
  const scales = [size.width / video.width, size.height / video.height] as const;
  const scale = framing === 'crop' ? Math.max(...scales) : Math.min(...scales);
  const scaled = { width: even(video.width * scale), height: even(video.height * scale) };
  if (Math.abs(scaled.width - size.width) <= nearlyWhole && Math.abs(scaled.height - size.height) <= nearlyWhole) return { size, scaled: size, mode: 'whole' };
  // Rounding may leave a side of the scaled picture two pixels off the size, which would be neither a crop nor padding.
  const tight = scales[0] > scales[1] === (framing === 'crop') ? { ...scaled, width: size.width } : { ...scaled, height: size.height };
  return { size, scaled: tight, mode: framing };
}
