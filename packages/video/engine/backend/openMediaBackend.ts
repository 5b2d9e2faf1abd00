import { openFfmpeg } from '../media/ffmpeg/ffmpegBackend.ts';
import { FfmpegUnusable, oldestFfmpeg } from '../media/ffmpeg/ffmpegPrograms.ts';
import type { MediaBackend, MediaBackendOptions } from '../media/mediaBackend.ts';

/** There is nothing to decode with. The message says how to get it. */
export class NoMediaBackend extends Error {
  override readonly name = 'NoMediaBackend';
}

/**
 * Chooses what decodes and encodes, once for a process; the backend says its name and version. By the setting: a path
 * means that ffmpeg and nothing else, `none` the FFmpeg libraries from npm; without it an ffmpeg from PATH where there
 * is one new enough, since it uses less memory and crashes alone, otherwise those from npm.
 * @param ffmpegPath the setting FFMPEG_PATH
 * @throws NoMediaBackend
 */
export async function openMediaBackend(ffmpegPath: string | null | undefined, options: MediaBackendOptions): Promise<MediaBackend> {
  if (ffmpegPath === 'none') return await fromNpm(options, 'FFMPEG_PATH is none');
  try {
    return await openFfmpeg(ffmpegPath ?? 'ffmpeg', options);
  } catch (error) {
    if (!(error instanceof FfmpegUnusable)) throw error;
    if (ffmpegPath) throw new NoMediaBackend(`FFMPEG_PATH: ${error.message}.`, { cause: error });
    return await fromNpm(options, error.message);
  }
}

async function fromNpm(options: MediaBackendOptions, whyNotInstalled: string): Promise<MediaBackend> {
  try {
    const { openNodeAv } = await import('../media/nodeAv/nodeAvBackend.ts');
    return await openNodeAv(options);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new NoMediaBackend(
      `There is nothing to decode video with. An installed ffmpeg: ${whyNotInstalled}. The libraries from npm: ${why}. `
      + `Install ffmpeg ${oldestFfmpeg} or newer (e.g. apt-get install ffmpeg), or run npm ci with optional packages so that node-av is there.`,
      { cause: error },
    );
  }
}
