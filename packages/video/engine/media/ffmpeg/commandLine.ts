import { resolve } from 'node:path';
import type { ChildLimits } from '@vouch/platform/process/childProcess';
import type { MediaLimits } from '../mediaBackend.ts';
import type { MediaInfo } from '../mediaInfo.ts';

/** FFmpeg's name of the demuxer of each container that is read. */
const demuxers: Readonly<Record<string, string>> = {
  mp4: 'mov', mov: 'mov', matroska: 'matroska', webm: 'matroska', mpegts: 'mpegts', avi: 'avi', flv: 'flv', ogg: 'ogg', asf: 'asf', mpeg: 'mpeg',
};

/** Before everything else: no questions, no keyboard, no progress lines. */
export const quiet = ['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'warning'] as const;

/** Metadata of the source and the encoder's version do not belong into what we make; the same input gives the same bytes. */
export const clean = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'] as const;

/**
 * Options of an input that is hostile. The demuxer is the one of the sniffed container and may open nothing but local
 * files: without that an ffconcat script named .mp4 reads its neighbours, and a playlist opens any address.
 */
export function guards(container: string, limits: MediaLimits): string[] {
  const demuxer = demuxers[container];
  if (demuxer === undefined) throw new Error(`${container} is not a container that is read`);
  return [
    '-protocol_whitelist', 'file,crypto,data', '-format_whitelist', [...new Set(Object.values(demuxers))].join(','),
    '-f', demuxer,
    // A picture of 12,000² in 0.4 MB would cost 520 MB.
    '-max_pixels', String(limits.pixels),
  ];
}

/** As FFmpeg takes a local file, whatever its name holds. */
export function fileUrl(path: string): string {
  return `file:${resolve(path)}`;
}

/** Containers whose clock may jump; ffmpeg then chooses another start than the one of the container. */
const jumping = new Set(['mpegts', 'mpeg', 'ogg']);

/**
 * Makes an input's times count from the start of its container. -start_at_zero would do the same, but for jumping
 * containers ffmpeg then counts from the first packet of the streams in use, so that sound and pictures drift apart; one
 * microsecond more is enough for it to leave the offset alone, and less than half a tick of any such stream.
 */
export function fromZero({ start, container }: MediaInfo): string[] {
  return ['-copyts', '-itsoffset', (-start - (jumping.has(container) ? 1e-6 : 0)).toFixed(6)];
}

/** Seconds as FFmpeg reads them, whole microseconds. */
export function secondsText(seconds: number): string {
  return seconds.toFixed(6);
}

export function childLimits(limits: MediaLimits): ChildLimits {
  const { cpuSeconds, memoryBytes, wallMs, diskBytes } = limits;
  return { cpuSeconds, memoryBytes, wallMs, diskBytes };
}
