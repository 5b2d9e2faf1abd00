import type { SubtitleRequest } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { maxSubtitleBytes } from '../subtitlePackets.ts';
import { fileUrl, fromZero, guards, quiet } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';

/** Reads a subtitle stream as SubRip. */
export async function readSubtitles(tools: FfmpegTools, { path, info, stream, signal }: SubtitleRequest): Promise<string> {
  const child = startFfmpeg(tools, {
    args: [...quiet, ...guards(info.container, tools.limits), ...fromZero(info), '-i', fileUrl(path), '-map', `0:${stream}`, '-c:s', 'subrip', '-f', 'srt', 'pipe:1'],
    stdout: 'pipe', signal,
  });
  try {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of child.stdout ?? []) {
      if (bytes < maxSubtitleBytes) parts.push(part as Buffer);
      bytes += (part as Buffer).length;
    }
    await child.done;
    return Buffer.concat(parts).toString('utf8');
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'has subtitles that cannot be read', code: 'damaged-media' });
  }
}
