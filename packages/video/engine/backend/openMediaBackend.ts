import { openFfmpeg } from '../media/ffmpeg/ffmpegBackend.ts';
import { FfmpegUnusable, oldestFfmpeg } from '../media/ffmpeg/ffmpegPrograms.ts';
import type { MediaBackend, MediaBackendOptions } from '../media/mediaBackend.ts';

/** No decoder is available. The message says how to install one. */
export class NoMediaBackend extends Error {
  override readonly name = 'NoMediaBackend';
}

/**
 * Opens the backend that decodes and encodes. A path in the setting selects that ffmpeg only; `none` selects the FFmpeg
 * libraries from npm. Without the setting, an ffmpeg from PATH is preferred if it is new enough, because it uses less
 * memory; otherwise the libraries from npm are used.
 *
 * @example
 * const backend = await openMediaBackend(null, { limits, timers: systemInterfaces.timers });
 * const info = await backend.probe('film.mp4', signal);
 *
 * @param ffmpegPath the setting FFMPEG_PATH
 * @throws NoMediaBackend; ChildFailed if somebody ended a program that was asked, or it did not answer in time
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
  const { openNodeAv, NodeAvUnusable } = await import('../media/nodeAv/nodeAvBackend.ts');
  try {
    return await openNodeAv(options);
  } catch (error) {
    if (!(error instanceof NodeAvUnusable)) throw error;
    throw new NoMediaBackend(
      `No video decoder is available. Installed ffmpeg: ${whyNotInstalled}. Libraries from npm: ${error.message}. `
      + `Install ffmpeg ${oldestFfmpeg} or newer (e.g. apt-get install ffmpeg), or run npm ci with optional packages to install node-av.`,
      { cause: error },
    );
  }
}
