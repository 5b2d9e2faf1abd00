import { basename } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { ChildFailed, isInterruption } from '@vouch/platform/process/childEnd';
import { mediaErrors } from '../mediaErrors.ts';

/** The operation that failed, and its file. */
export interface MediaWork {
  path: string;
  /** Predicate of the error sentence after the file's name, e.g. `cannot be decoded`. */
  failing: string;
  /** Error code if the child reports an error; a crash is always `decoder-failed`. */
  code: 'damaged-media' | 'decoder-failed';
  signal: AbortSignal;
}

/**
 * Converts the failure of a decoder's or encoder's child process into the error for the caller: the reason of an abort, a
 * Problem of the media, the failure itself if something ended the child from outside, or an Error with code ENOSPC if the disk is full. An end from
 * outside is no Problem here, because callers continue without what a Problem says cannot be read, for example without the sound. Details contain only the last part of the file's
 * path, and no output of the child process, because that output contains paths.
 */
export function mediaFault(error: unknown, { path, failing, code, signal }: MediaWork): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof Problem || !(error instanceof ChildFailed)) return error;
  const name = basename(path);
  const { end, stderrTail } = error;
  const options = { cause: error };
  switch (end.kind) {
    case 'cancelled':
    case 'not-started':
      return error;
    case 'timed-out':
      return mediaErrors.problem('media-limit', `${name}: the decoder did not end within ${end.wallMs / 1000} s. Use a lower tier, or raise VOUCH_VIDEO_RUN_SECONDS.`, options);
    case 'processor-time':
      return mediaErrors.problem('media-limit', `${name}: the decoder used more than ${end.cpuSeconds} s of processor time. Use a lower tier, or raise the limit.`, options);
    case 'memory':
      return memoryProblem(name, end.memoryBytes, error);
    case 'output':
    case 'disk':
      return mediaErrors.problem('media-limit', `${name}: an output file would be larger than the disk limit of one run. Request a shorter or smaller preview.`, options);
    case 'signal':
      return isInterruption(error) ? error : crashProblem(name, error);
    case 'unreadable-message':
      return crashProblem(name, error);
    case 'exited':
      if (stderrTail.includes('No space left on device')) return Object.assign(new Error('no space left on the disk', options), { code: 'ENOSPC' });
      if (stderrTail.includes('Cannot allocate memory')) return memoryProblem(name, null, error);
      return mediaErrors.problem(code, `${name} ${failing}. Check that the file plays and is complete.`, options);
  }
}

function crashProblem(name: string, cause: unknown): Problem {
  return mediaErrors.problem('decoder-failed', `${name}: the decoder crashed on this file. Encode the file again with a current encoder.`, { cause });
}

function memoryProblem(name: string, bytes: number | null, cause: unknown): Problem {
  const limit = bytes === null ? 'its limit' : `its ${Math.round(bytes / 1e6)} MB`;
  return mediaErrors.problem('media-limit', `${name}: the decoder needs more memory than ${limit}. Use a video with a smaller frame size, or raise VOUCH_VIDEO_MEMORY_MB.`, { cause });
}
