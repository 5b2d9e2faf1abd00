import { pipeline } from 'node:stream/promises';
import type { Child } from '@vouch/platform/process/childProcess';
import type { PictureRequest } from '../mediaBackend.ts';
import { clean, fileUrl, fromZero, guards, quiet } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { seekBefore } from './seeking.ts';

/** Codecs whose decoders ignore `-skip_frame`, so the unwanted packets must not reach the decoder. */
const decodesAll = new Set(['vp9', 'av1']);
/**
 * Containers whose demuxer itself can skip packets. With B-frames the demuxer then reports wrong times, but VP9 and AV1 have
 * no B-frames.
 */
const discards = new Set(['mp4', 'mov']);

/** Which program removes the packets that are not key frames. */
export function keyFilter({ skip, info }: PictureRequest): 'decoder' | 'demuxer' | 'another ffmpeg' {
  if (skip !== 'non-key' || !decodesAll.has(info.video.codec)) return 'decoder';
  return discards.has(info.container) ? 'demuxer' : 'another ffmpeg';
}

/** Input options of an ffmpeg that reads key packets from standard input, where a second ffmpeg writes them. */
export const keyPacketInput = ['-protocol_whitelist', 'pipe', '-format_whitelist', 'nut', '-f', 'nut'] as const;

/**
 * Starts an ffmpeg that copies the key packets of the video stream to the standard input of the given child.
 * @returns the new child; the caller must stop and await both children
 */
export function copyKeyPackets(tools: FfmpegTools, request: PictureRequest, reader: Child): Child {
  const { path, info, from, signal } = request;
  const child = startFfmpeg(tools, {
    args: [
      ...quiet, ...guards(info.container, tools.limits), ...seekBefore(info, from), ...fromZero(info), '-i', fileUrl(path),
      '-map', `0:${info.video.stream}`, '-an', '-sn', '-dn', ...clean,
      '-c', 'copy', '-bsf:v', 'noise=drop=not(key)', '-avoid_negative_ts', 'disabled', '-f', 'nut', 'pipe:1',
    ],
    stdout: 'pipe',
    signal,
  });
  // Either child may end first; the code that waits for both children gets the error.
  if (child.stdout !== null && reader.stdin !== null) pipeline(child.stdout, reader.stdin).catch(() => {});
  else reader.stdin?.end();
  return child;
}

/** Filters that rotate a picture clockwise, for an input that does not contain the rotation. */
export function turnFilters(degrees: number): string[] {
  return { 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] }[degrees] ?? [];
}
