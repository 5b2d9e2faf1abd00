import { startChild, type Child, type ChildRequest } from '@vouch/platform/process/childProcess';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import type { MediaLimits } from '../mediaBackend.ts';
import { mediaFault, type MediaWork } from '../mediaFault.ts';
import { childLimits } from './commandLine.ts';
import type { FfmpegPrograms } from './ffmpegPrograms.ts';

/** Programs, limits and timers for every call of the backend. */
export interface FfmpegTools {
  programs: FfmpegPrograms;
  limits: MediaLimits;
  timers: Timers;
}

type FfmpegRequest = Pick<ChildRequest, 'args' | 'stdin' | 'stdout' | 'outputs' | 'heardStderr'> & { program?: 'ffmpeg' | 'ffprobe'; signal: AbortSignal };

/** Starts ffmpeg or ffprobe under the limits of the backend. */
export function startFfmpeg(tools: FfmpegTools, { program = 'ffmpeg', ...request }: FfmpegRequest): Child {
  return startChild({
    ...request,
    command: tools.programs[program],
    name: program,
    limits: childLimits(tools.limits),
    niceness: tools.limits.niceness,
  }, tools.timers);
}

/**
 * Runs ffmpeg until it ends.
 * @throws the error that `mediaFault` derives from a failure
 */
export async function runFfmpeg(tools: FfmpegTools, args: readonly string[], work: MediaWork): Promise<void> {
  try {
    await startFfmpeg(tools, { args, signal: work.signal }).done;
  } catch (error) {
    throw mediaFault(error, work);
  }
}
