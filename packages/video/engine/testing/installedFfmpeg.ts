import { realDoors } from '@vouch/platform/process/doors';
import { askFfmpeg, FfmpegUnusable } from '../media/ffmpeg/ffmpegPrograms.ts';

/** For tests: why an installed ffmpeg cannot be used; null where one can. FFMPEG_PATH=none masks it. */
export async function missingFfmpeg(): Promise<string | null> {
  if (process.env['FFMPEG_PATH'] === 'none') return 'FFMPEG_PATH is none';
  try {
    await askFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', realDoors.timers);
    return null;
  } catch (error) {
    if (error instanceof FfmpegUnusable) return error.message;
    throw error;
  }
}
