import { resolve } from 'node:path';
import type { ChildLimits } from '@vouch/platform/process/childProcess';
import { demuxerList, demuxers } from '../containers.ts';
import type { MediaLimits } from '../mediaBackend.ts';
import type { MediaInfo } from '../mediaInfo.ts';

/** Global options: no questions, no keyboard input, no progress lines. */
export const quiet = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'warning'] as const;

/**
 * Output options that omit the metadata of the source and the version of the encoder, so that the same input gives the same
 * bytes.
 */
export const clean = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'] as const;

/**
 * Options for an untrusted input: only the demuxer of the sniffed container is allowed, and only local files. Without these
 * options, an ffconcat script named .mp4 could read other files, and a playlist could open any URL.
 */
export function guards(container: string, limits: MediaLimits): string[] {
  const demuxer = demuxers[container];
  if (demuxer === undefined) throw new Error(`the container ${container} is not supported`);
  return [
    '-protocol_whitelist', 'file,crypto,data', '-format_whitelist', demuxerList,
    '-f', demuxer,
    // Without this limit, a picture of 12,000 × 12,000 pixels in 0.4 MB would use 520 MB.
    '-max_pixels', String(limits.pixels),
  ];
}

/** The URL of a local file for FFmpeg, which is safe for any file name. */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`;
}

/** Containers whose clock may jump. For these, ffmpeg uses another start time than that of the container. */
const jumping = new Set(['mpegts', 'mpeg', 'ogg']);

/**
 * Options that make an input's times relative to the start of its container. `-start_at_zero` would suffice for other
 * containers, but for containers with jumping clocks ffmpeg then counts from the first packet of the used streams, so that
 * sound and pictures drift apart. Ffmpeg leaves an offset that differs by one microsecond unchanged; this is less than half a
 * tick of any such stream.
 */
export function fromZero({ start, container }: MediaInfo): string[] {
  return ['-copyts', '-itsoffset', (-start - (jumping.has(container) ? 1e-6 : 0)).toFixed(6)];
}

/** Formats seconds for FFmpeg, with microseconds. */
export function secondsText(seconds: number): string {
  return seconds.toFixed(6);
}

/** Converts the limits of a backend to the limits of a child process. */
export function childLimits(limits: MediaLimits): ChildLimits {
  const { cpuSeconds, memoryBytes, wallMs, diskBytes } = limits;
  return { cpuSeconds, memoryBytes, wallMs, diskBytes };
}
