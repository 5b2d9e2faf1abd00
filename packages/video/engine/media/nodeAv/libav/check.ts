import { AVERROR_EAGAIN, AVERROR_EOF } from 'node-av/constants';
import { FFmpegError } from 'node-av/lib';

/** A call of the libraries failed. `code` is FFmpeg's negative error number. */
class AvError extends Error {
  override readonly name = 'AvError';
  readonly code: number;

  constructor(code: number, doing: string) {
    super(`${doing}: ${FFmpegError.strerror(code)}`);
    this.code = code;
  }
}

/**
 * Returns a non-negative result of the libraries.
 * @param doing the operation, e.g. `opening the encoder`
 * @throws AvError if the result is negative
 */
export function check(code: number, doing: string): number {
  if (code < 0) throw new AvError(code, doing);
  return code;
}

/** Whether a result means that the call needs more input first, or that the end is reached; neither is a fault. */
export function isNothing(code: number): boolean {
  return code === AVERROR_EAGAIN || code === AVERROR_EOF;
}
