import { createReadStream } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { videoErrors } from '../errors/videoErrors.ts';
import type { DownloadedMedia, DownloadRequest } from './downloadMedia.ts';
import type { Part, Track } from './playlists/playlist.ts';

/** Number of segments that are downloaded at the same time, because a small segment takes less time than the wait for the answer of its server. */
const together = 4;
const copyBytes = 1_048_576;

export interface TrackRequest {
  track: Track;
  /** Path of the file to write. */
  path: string;
  /** Folder for the segments. */
  folder: string;
  /** Bytes that may still be downloaded. */
  maxBytes: number;
  signal: AbortSignal;
  /** Called after each part with the number of parts that are complete. */
  done(count: number): void;
}

/** Downloads one file by the rules of `media_url`. */
export type Download = (request: Pick<DownloadRequest, 'url' | 'folder' | 'maxBytes' | 'signal' | 'grows'>) => Promise<DownloadedMedia>;

/**
 * Downloads the parts of a track and joins them to one file.
 * @returns number of downloaded bytes, and the interruptions of the downloads
 * @throws Problem of the download, with the place of the part; `media-too-large`
 */
export async function fetchTrack(download: Download, request: TrackRequest): Promise<{ bytes: number; interruptions: string[] }> {
  const { track, path, folder, maxBytes, done } = request;
  const stop = new AbortController();
  const signal = AbortSignal.any([request.signal, stop.signal]);
  const files = groupByUrl(track.parts);
  const interruptions: string[] = [];
  /** Bytes of each file so far. The limit holds for all of them together, also while four arrive at once. */
  const sizes = new Map<number, number>();
  let bytes = 0;
  let written = 0;
  const grows = (index: number, size: number): void => {
    bytes += size - (sizes.get(index) ?? 0);
    sizes.set(index, size);
    if (bytes > maxBytes) throw tooLarge(maxBytes);
  };
  const fetchOne = async (index: number): Promise<DownloadedMedia> => {
    const own = join(folder, String(index));
    await mkdir(own);
    return download({ url: files[index]!.url, folder: own, maxBytes, signal, grows: (size) => grows(index, size) }).catch((error: unknown) => {
      if (!(error instanceof Problem) || signal.aborted) throw error;
      if (error.code === 'media-too-large') throw tooLarge(maxBytes);
      throw error.withDetail(`File ${index + 1} of ${files.length} that the playlist of media_url names: ${error.detail}`);
    });
  };
  const output = await open(path, 'w', 0o600);
  const running: Promise<DownloadedMedia>[] = [];
  try {
    for (let index = 0; index < files.length; index += 1) {
      for (let next = running.length; next < Math.min(files.length, index + together); next += 1) {
        const fetching = fetchOne(next);
        fetching.catch(() => {});
        running.push(fetching);
      }
      const fetched = await running[index]!;
      interruptions.push(...fetched.interruptions);
      // Ranges can name the same bytes again and again, so the joined file has a limit of its own.
      written += lengthOf(files[index]!.ranges, fetched.bytes);
      if (written > maxBytes) throw tooLarge(maxBytes);
      await append(output, fetched, files[index]!.ranges);
      await rm(join(folder, String(index)), { recursive: true });
      done(index + 1);
    }
    return { bytes, interruptions };
  } finally {
    stop.abort(request.signal.reason);
    await Promise.allSettled(running);
    await output.close();
  }
}

function tooLarge(maxBytes: number): Problem {
  return videoErrors.problem('media-too-large', `The files that the playlist of media_url names have more than ${maxBytes} bytes. Use a smaller video, or raise VOUCH_VIDEO_MAX_BYTES.`);
}

interface PartFile {
  url: string;
  ranges: Part['range'][];
}

/** Groups the parts so that successive ranges of one file are cut out of one download. */
function groupByUrl(parts: readonly Part[]): PartFile[] {
  const files: PartFile[] = [];
  for (const { url, range } of parts) {
    const last = files.at(-1);
    if (last !== undefined && last.url === url && range !== null && last.ranges[0] !== null) last.ranges.push(range);
    else files.push({ url, ranges: [range] });
  }
  return files;
}

function lengthOf(ranges: readonly Part['range'][], bytes: number): number {
  return ranges.reduce((sum, range) => sum + (range?.length ?? bytes), 0);
}

async function append(output: FileHandle, { path, bytes }: DownloadedMedia, ranges: readonly Part['range'][]): Promise<void> {
  for (const range of ranges) {
    const { from, length } = range ?? { from: 0, length: bytes };
    if (from + length > bytes) throw videoErrors.problem('media-incomplete', `The playlist of media_url names ${length} bytes from byte ${from} on of a file with ${bytes} bytes.`);
    if (length === 0) continue;
    for await (const chunk of createReadStream(path, { start: from, end: from + length - 1, highWaterMark: copyBytes })) await output.writeFile(chunk as Buffer);
  }
}
