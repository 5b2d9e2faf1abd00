import { AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants';
import { FFmpegError } from 'node-av/lib';

/** A call into the libraries failed. `code` is FFmpeg's negative number. */
export class AvError extends Error {
  override readonly name = 'AvError';
  readonly code: number;

  constructor(code: number, doing: string) {
    super(`${doing}: ${FFmpegError.strerror(code)}`);
    this.code = code;
  }
}

/** Gives a non-negative answer back. @throws AvError with what was being done, e.g. `opening the encoder` */
export function check(code: number, doing: string): number {
  if (code < 0) throw new AvError(code, doing);
  return code;
}

/** Whether a call gave nothing because it needs more input first, or because its end is reached: no fault. */
export function isNothing(code: number): boolean {
  return code === AVERROR_EAGAIN || code === AVERROR_EOF;
}
