import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { askFfmpeg, FfmpegUnusable } from '../media/ffmpeg/ffmpegPrograms.ts';

/** Returns why an installed ffmpeg cannot be used; null if one can be used. FFMPEG_PATH=none hides an installed ffmpeg. */
export async function missingFfmpeg(): Promise<string | null> {
  if (process.env['FFMPEG_PATH'] === 'none') return 'FFMPEG_PATH is none';
  try {
    await askFfmpeg(process.env['FFMPEG_PATH'] ?? 'ffmpeg', systemInterfaces.timers);
    return null;
  } catch (error) {
    if (error instanceof FfmpegUnusable) return error.message;
    throw error;
  }
}
