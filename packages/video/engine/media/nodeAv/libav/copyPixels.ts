import { Frame, Rational } from 'node-av/lib';
import { check } from './check.ts';

type Description = Parameters<typeof Frame.fromVideoBuffer>[1];

const microseconds = { num: 1, den: 1_000_000 };

/** The pixels that are being copied. The reference keeps the garbage collector from freeing them meanwhile. */
const copied = new Set<Buffer>();

/**
 * Returns a frame with its own copy of the pixels. `Frame.fromVideoBuffer` of node-av 6.1.1 copies nothing: its frame points into the Buffer, which the
 * garbage collector frees while the encoder still reads it. On Node 24 the process crashed; memory that is in use again could appear in a picture.
 * @param pixels all planes, without padding
 * @throws AvError if there is no memory for the frame
 */
export function copyPixels(pixels: Buffer, { width, height, format, pts, timeBase = microseconds }: Description): Frame {
  const view = emptyFrame({ width, height, format });
  const frame = emptyFrame({ width, height, format });
  copied.add(pixels);
  try {
    check(frame.getBuffer(), 'allocating a frame');
    check(view.fromBuffer(pixels), 'reading the pixels of a frame');
    check(frame.copy(view), 'copying the pixels of a frame');
  } finally {
    copied.delete(pixels);
    view.free();
  }
  if (pts !== undefined) frame.pts = pts;
  frame.timeBase = new Rational(timeBase.num, timeBase.den);
  return frame;
}

function emptyFrame({ width, height, format }: Pick<Description, 'width' | 'height' | 'format'>): Frame {
  const frame = new Frame();
  frame.alloc();
  Object.assign(frame, { width, height, format });
  return frame;
}
