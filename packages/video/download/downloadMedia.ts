import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { Problem } from '@vouch/platform/errors/problem';
import { OutboundFailed, type OutboundAnswer } from '@vouch/platform/outbound/outbound';
import { ThroughputGuard } from '@vouch/platform/http/throughputGuard';
import { isDiskFull } from '@vouch/platform/process/diskFull';
import type { Clock, SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { Warning } from '../engine/analysis/analysis.ts';
import { videoErrors } from '../errors/videoErrors.ts';
import type { MediaClient } from './mediaClient.ts';
import { ReceivedFile, totalOf } from './receivedFile.ts';

export interface DownloadRequest {
  url: string;
  /** Folder that the file is written to. */
  folder: string;
  maxBytes: number;
  signal: AbortSignal;
  /** Receives the downloaded share, 0–1, if the server announced a length. */
  progress?(fraction: number): void;
  /** Called before a pause after which the download is tried again, with a sentence about the fault. */
  interrupted?(detail: string, pauseMs: number): void;
  /** Receives the size that the file is about to have, bytes, and throws to end the download. */
  grows?(bytes: number): void;
  /** Minimum throughput, averaged over a window; a slower download fails. */
  slowest?: { bytesPerSecond: number; windowMs: number };
}

export interface DownloadedMedia {
  path: string;
  /** URL of the file, after redirects. */
  url: string;
  bytes: number;
  /** SHA-256 of the content, 64 hex digits. */
  sha256: string;
  /** The `ETag` header of the answer; null without one. */
  etag: string | null;
  /** What interrupted the download before it was continued; empty for a download without interruption. */
  interruptions: readonly string[];
}

/** Default minimum throughput, over any 30 s. At 16 KiB/s, the largest allowed file would take a week. */
const slowestServer = { bytesPerSecond: 16_384, windowMs: 30_000 };
const headersTimeoutMs = 30_000;
const maxRedirects = 5;
/** Codings of RFC 9110, section 8.4.1, and later ones. A name such as `aws-chunked`, which stores keep by mistake, changes no byte. */
const compressions = new Set(['gzip', 'x-gzip', 'deflate', 'compress', 'x-compress', 'br', 'zstd']);
/** Pauses before repetitions, ms. `progressBytes` of the file that arrive in between allow all repetitions again. */
const pausesMs = [300, 1000, 3000];
const progressBytes = 1_048_576;
/** Longest `Retry-After` that is obeyed, ms. */
const longestPauseMs = 30_000;

/**
 * Downloads a media file into a folder. The outbound guard checks the URL, and limits apply to size and throughput. If the server is busy or fails
 * (429, 5xx), cannot be reached, or the transfer breaks, the download continues after a pause, with a range request (RFC 9110, section 14) if the server named the
 * version of the file. After a failure, no file remains in the folder.
 *
 * @example
 * const { path, sha256 } = await downloadMedia(outbound, system, { url: 'https://example.org/film.mp4', folder, maxBytes: 1e9, signal });
 *
 * @throws Problem `address-refused`, one of the `media-…` codes, or `storage-full`; the signal's reason on abort
 */
export async function downloadMedia(client: Pick<MediaClient, 'request'>, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>, request: DownloadRequest): Promise<DownloadedMedia> {
  const path = join(request.folder, 'source');
  const file = await open(path, 'w', 0o600);
  const interruptions: string[] = [];
  try {
    const received = new ReceivedFile(file);
    let reached = 0;
    for (let tries = 0; ; tries += 1) {
      const fault = await fetchRest(client, system, request, received).catch((error: unknown) => asProblem(error));
      if (fault === null) return { path, url: received.url ?? request.url, bytes: received.bytes, sha256: received.sha256(), etag: received.etag, interruptions };
      // A server that makes the download begin again and again does not earn further tries.
      if (received.bytes - reached >= progressBytes) [tries, reached] = [0, received.bytes];
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || !(fault instanceof Problem) || !mayPass(fault)) throw afterTries(fault, interruptions.length + 1);
      interruptions.push(fault.detail);
      const waitMs = Math.max(pauseMs, fault instanceof Interruption ? fault.pauseMs : 0);
      request.interrupted?.(fault.detail, waitMs);
      await system.timers.sleep(waitMs, request.signal);
      request.signal.throwIfAborted();
    }
  } catch (error) {
    await rm(path, { force: true });
    throw request.signal.aborted ? request.signal.reason : error;
  } finally {
    await file.close();
  }
}

/** The warning for a download that was interrupted and then completed; none for no interruption. */
export function warnOfInterruptions(interruptions: readonly string[]): Warning[] {
  const last = interruptions.at(-1);
  if (last === undefined) return [];
  const times = interruptions.length === 1 ? 'once' : `${interruptions.length} times`;
  return [{ code: 'download-interrupted', detail: `The download was interrupted ${times} and then completed. The last interruption: ${last}` }];
}

/** The server answered that it is busy or failed. */
class Interruption extends Problem {
  readonly pauseMs: number;

  constructor(problem: Problem, pauseMs: number) {
    super(problem.code, problem, problem.detail);
    this.pauseMs = pauseMs;
  }
}

/** Whether a fault may be gone after a pause: a server may restart, and a network partition may last for seconds. */
function mayPass(fault: Problem): boolean {
  return fault instanceof Interruption || fault.code === 'media-incomplete' || fault.code === 'media-unreachable';
}

function afterTries(error: unknown, tries: number): unknown {
  if (tries === 1 || !(error instanceof Problem)) return error;
  return error.withDetail(`${error.detail} Vouch tried ${tries} times.`);
}

/** Requests the missing part and appends it. Resolves with null when the file is complete. */
async function fetchRest(client: Pick<MediaClient, 'request'>, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>, request: DownloadRequest, received: ReceivedFile): Promise<null> {
  const slowest = request.slowest ?? slowestServer;
  const answer = await client.request({
    url: request.url,
    method: 'GET',
    // A compressed transfer would make lengths and limits meaningless, and media are compressed already.
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'vouch', ...received.rangeHeaders() },
    signal: request.signal,
    headersTimeoutMs,
    bodyTimeoutMs: slowest.windowMs,
    maxRedirects,
  });
  try {
    // The connection broke after the last byte: nothing is missing.
    if (answer.status === 416 && received.bytes > 0 && answer.headers['content-range'] === `bytes */${received.bytes}`) return null;
    const rest = received.isContinuedBy(answer);
    if (!rest && received.bytes > 0 && (answer.status === 206 || answer.status === 416)) {
      received.forget();
      throw new Interruption(changed(answer), 0);
    }
    const length = rest ? checkLength(answer, received.bytes, request.maxBytes) : checkAnswer(answer, system.clock, request.maxBytes);
    if (!rest) await received.restart(answer);
    await receive(answer, received, length, request, new ThroughputGuard(slowest, system));
    return null;
  } finally {
    answer.body.on('error', () => {}).destroy();
  }
}

/**
 * Checks status and length of the answer.
 * @returns the announced length in bytes; null if the server announced none
 * @throws Problem `media-not-found`, `media-forbidden`, `media-refused` or `media-too-large`
 */
function checkAnswer(answer: OutboundAnswer, clock: Clock, maxBytes: number): number | null {
  const host = new URL(answer.url).host;
  if (answer.status === 404 || answer.status === 410) {
    throw videoErrors.problem('media-not-found', `${host} answered ${answer.status}: there is no file at the URL. Check the URL.`);
  }
  if ([401, 403, 407, 451].includes(answer.status)) {
    throw videoErrors.problem('media-forbidden', `${host} answered ${answer.status}: the server requires a session. Use a URL that opens in a private browser window, for example a signed link.`);
  }
  if (answer.status !== 200) {
    throw answer.status === 429 || answer.status >= 500 ? new Interruption(refusedBy(answer), retryAfterMs(answer, clock)) : refusedBy(answer);
  }
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (compressions.has(encoding)) {
    throw videoErrors.problem('media-refused', `${host} sent the file compressed (content-encoding: ${encoding}), although Vouch requests it uncompressed. Turn off compression for this file on the server.`);
  }
  return checkLength(answer, 0, maxBytes);
}

function changed({ url }: OutboundAnswer): Problem {
  return videoErrors.problem('media-incomplete', `${new URL(url).host} changed the file during the download. Try again when the file is complete.`);
}

function refusedBy({ url, status }: OutboundAnswer): Problem {
  return videoErrors.problem('media-refused', `${new URL(url).host} answered ${status} instead of 200. Try again later, or check the URL.`);
}

/** The announced length of the whole file, of which `before` bytes have arrived; null if the server announced none. */
function checkLength(answer: OutboundAnswer, before: number, maxBytes: number): number | null {
  const { headers, url } = answer;
  const length = headers['content-length'];
  // A server may send less than the requested rest, so the length of this answer is not always that of the rest.
  const announced = totalOf(answer) ?? (length !== undefined && /^\d+$/.test(length) ? before + Number(length) : null);
  if (announced !== null && announced > maxBytes) throw tooLarge(new URL(url).host, `announces ${announced} bytes`, maxBytes);
  return announced;
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs({ headers }: OutboundAnswer, clock: Clock): number {
  const after = headers['retry-after'] ?? '';
  const wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - clock.now();
  return Number.isFinite(wait) ? Math.min(longestPauseMs, Math.max(0, wait)) : 0;
}

async function receive(
  answer: OutboundAnswer, received: ReceivedFile, announced: number | null, request: DownloadRequest, throughput: ThroughputGuard,
): Promise<void> {
  const host = new URL(answer.url).host;
  for await (const part of answer.body) {
    const chunk = part as Uint8Array;
    if (received.bytes + chunk.length > request.maxBytes) throw tooLarge(host, `sent more than ${request.maxBytes} bytes`, request.maxBytes);
    const tooSlow = throughput.add(chunk.length);
    if (tooSlow !== null) {
      throw videoErrors.problem('media-too-slow', `${host} sent ${tooSlow.bytes} bytes in ${Math.round(tooSlow.milliseconds / 1000)} s, less than the minimum of ${throughput.bytesPerSecond} bytes per second. Serve the media from a faster server.`);
    }
    request.grows?.(received.bytes + chunk.length);
    await received.append(chunk);
    if (announced === null || announced === 0) continue;
    received.told = Math.max(received.told, Math.min(1, received.bytes / announced));
    request.progress?.(received.told);
  }
  if (announced !== null && received.bytes !== announced) {
    throw videoErrors.problem('media-incomplete', `${host} announced ${announced} bytes and sent ${received.bytes}. Try again. If the error persists, the server announces a wrong length.`);
  }
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
  return asFullDisk(error);
}

/** Turns the error of a full disk into Problem `storage-full`; other errors are returned unchanged. */
export function asFullDisk(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return platformErrors.problem('storage-full', 'The disk became full during the download. Free space in the data folder, then start the run again.', { cause: error });
}
