import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import type { MediaBackend, PictureEncoding } from '../media/mediaBackend.ts';
import { mediaErrors } from '../mediaErrors.ts';
import { describeAss } from './captionPieces.ts';
import type { Source } from './encodePieces.ts';

const encoding: PictureEncoding = { codec: 'h264', width: 320, height: 180, rate: { numerator: 25, denominator: 1 } };

interface Proof {
  backend: MediaBackend;
  source: Source;
  /** Folder for two small files, which are removed. */
  folder: string;
  signal: AbortSignal;
}

/**
 * Proves that this server can draw subtitles: encodes one frame of the video with and without a subtitle, and compares the files. An ffmpeg without
 * libass fails, but FFmpeg on a server without fonts draws nothing and reports no error.
 * @param from time of the frame, seconds
 * @throws Problem `encoder-missing`
 */
export async function proveCaptions({ backend, source, folder, signal }: Proof, from: number): Promise<void> {
  const [captions, plain, drawn] = [join(folder, 'proof.ass'), join(folder, 'plain.mp4'), join(folder, 'drawn.mp4')];
  const piece = { path: source.path, info: source.info, encoding, from, frames: 1, signal };
  try {
    await writeFile(captions, describeAss([{ start: 0, end: 10, text: 'MMMM' }], encoding));
    await backend.encodePiece({ ...piece, output: plain });
    await backend.encodePiece({ ...piece, output: drawn, captions }).catch((error: unknown) => {
      if (!(error instanceof Problem) || signal.aborted) throw error;
      throw mediaErrors.problem('encoder-missing', `FFmpeg ${backend.version} on this server cannot draw captions, because it has no filter "ass". Omit burn_captions and use the output "captions". The operator can install an ffmpeg with libass, or set FFMPEG_PATH=none.`, { cause: error });
    });
    if (!(await readFile(plain)).equals(await readFile(drawn))) return;
    throw mediaErrors.problem('encoder-missing', 'This server has no font to draw captions with. Omit burn_captions and use the output "captions". The operator can install fonts, for example apt-get install fontconfig fonts-dejavu-core.');
  } finally {
    await Promise.all([captions, plain, drawn].map((file) => rm(file, { force: true })));
  }
}
