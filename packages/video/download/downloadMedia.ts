import { createHash, type Hash } from 'node:crypto';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem } from '@vouch/platform/errors/problem';
import { OutboundFailed, type OutboundAnswer, type OutboundHttp } from '@vouch/platform/outbound/outbound';
import { ThroughputGuard } from '@vouch/platform/http/throughputGuard';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import { videoErrors } from '../errors/videoErrors.ts';

export interface DownloadRequest {
  url: string;
  /** Folder that the file is written to. */
  folder: string;
  maxBytes: number;
  signal: AbortSignal;
  /** Receives the downloaded share, 0–1, if the server announced a length. */
  progress?(fraction: number): void;
  /** Minimum throughput, averaged over a window; a slower download fails. */
  slowest?: { bytesPerSecond: number; windowMs: number };
}

interface DownloadedMedia {
  path: string;
  bytes: number;
  /** SHA-256 of the content, 64 hex digits. */
  sha256: string;
  /** The `ETag` header of the answer; null without one. */
  etag: string | null;
}

/** Default minimum throughput, over any 30 s. At 16 KiB/s, the largest allowed file would take a week. */
const slowestServer = { bytesPerSecond: 16_384, windowMs: 30_000 };
const headersTimeoutMs = 30_000;
const maxRedirects = 5;

/**
 * Downloads a media file into a folder. The outbound guard checks the URL, and limits apply to size and throughput. After a
 * failure, no file remains in the folder.
 *
 * @example
 * const { path, sha256 } = await downloadMedia(outbound, clock, { url: 'https://example.org/film.mp4', folder, maxBytes: 1e9, signal });
 *
 * @throws Problem `address-refused`, one of the `media-…` codes, or `storage-full`; the signal's reason on abort
 */
export async function downloadMedia(outbound: OutboundHttp, clock: Clock, request: DownloadRequest): Promise<DownloadedMedia> {
  const slowest = request.slowest ?? slowestServer;
  const path = join(request.folder, 'source');
  const file = await open(path, 'w', 0o600);
  try {
    const answer = await outbound.request({
      url: request.url,
      method: 'GET',
      // A compressed transfer would make lengths and limits meaningless, and media are compressed already.
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'vouch' },
      signal: request.signal,
      headersTimeoutMs,
      bodyTimeoutMs: slowest.windowMs,
      maxRedirects,
    });
    try {
      const announced = checkAnswer(answer, request.maxBytes);
      const { bytes, sha256 } = await receive(answer, file, announced, request, new ThroughputGuard(slowest, clock));
      return { path, bytes, sha256, etag: answer.headers['etag'] ?? null };
    } finally {
      answer.body.on('error', () => {}).destroy();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw request.signal.aborted ? request.signal.reason : asProblem(error);
  } finally {
    await file.close();
  }
}

/**
 * Checks status and length of the answer.
 * @returns the announced length in bytes; null if the server announced none
 * @throws Problem `media-not-found`, `media-forbidden`, `media-refused` or `media-too-large`
 */
function checkAnswer(answer: OutboundAnswer, maxBytes: number): number | null {
  const host = new URL(answer.url).host;
  if (answer.status === 404 || answer.status === 410) {
    throw videoErrors.problem('media-not-found', `${host} answered ${answer.status}: there is no media at media_url. Check the URL.`);
  }
  if ([401, 403, 407, 451].includes(answer.status)) {
    throw videoErrors.problem('media-forbidden', `${host} answered ${answer.status}: the server requires a session. Use a URL that opens in a private browser window, for example a signed link.`);
  }
  if (answer.status !== 200) {
    throw videoErrors.problem('media-refused', `${host} answered ${answer.status} instead of 200. Try again later, or check the URL.`);
  }
  const length = answer.headers['content-length'];
  const announced = length !== undefined && /^\d+$/.test(length) ? Number(length) : null;
  if (announced !== null && announced > maxBytes) throw tooLarge(host, `announces ${announced} bytes`, maxBytes);
  return announced;
}

async function receive(
  answer: OutboundAnswer, file: FileHandle, announced: number | null, request: DownloadRequest, throughput: ThroughputGuard,
): Promise<{ bytes: number; sha256: string }> {
  const host = new URL(answer.url).host;
  const hash: Hash = createHash('sha256');
  let bytes = 0;
  for await (const part of answer.body) {
    const chunk = part as Uint8Array;
    bytes += chunk.length;
    if (bytes > request.maxBytes) throw tooLarge(host, `sent more than ${request.maxBytes} bytes`, request.maxBytes);
    const tooSlow = throughput.add(chunk.length);
    if (tooSlow !== null) {
      throw videoErrors.problem('media-too-slow', `${host} sent ${tooSlow.bytes} bytes in ${Math.round(tooSlow.milliseconds / 1000)} s, less than the minimum of ${throughput.bytesPerSecond} bytes per second. Serve the media from a faster server.`);
    }
    hash.update(chunk);
    await file.appendFile(chunk);
    if (announced !== null && announced > 0) request.progress?.(Math.min(1, bytes / announced));
  }
  if (announced !== null && bytes !== announced) {
    throw videoErrors.problem('media-incomplete', `${host} announced ${announced} bytes and sent ${bytes}. Try again. If the error persists, the server announces a wrong length.`);
  }
  return { bytes, sha256: hash.digest('hex') };
}

function tooLarge(host: string, what: string, maxBytes: number): Problem {
  return videoErrors.problem('media-too-large', `${host} ${what}; the limit is ${maxBytes} bytes. Use a smaller file, or raise VOUCH_VIDEO_MAX_BYTES.`);
}

/**
 * Turns failures of the server or the network into a Problem with their code, and a full disk into `storage-full`. Other
 * errors are internal errors and returned unchanged.
 */
function asProblem(error: unknown): unknown {
  if (error instanceof OutboundFailed) {
    const codes = {
      unreachable: 'media-unreachable',
      certificate: 'media-certificate',
      redirects: 'media-redirects',
      silent: 'media-too-slow',
      incomplete: 'media-incomplete',
    } as const;
    return videoErrors.problem(codes[error.kind], `The media could not be downloaded: ${error.message}. Check media_url, then try again.`, { cause: error });
  }
  if (isDiskFull(error)) {
    return platformErrors.problem('storage-full', 'The disk became full during the download. Free space in the data folder, then start the run again.', { cause: error });
  }
  return error;
}
