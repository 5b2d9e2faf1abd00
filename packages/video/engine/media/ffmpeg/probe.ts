import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { colourNumber } from '../colour.ts';
import { clockwiseTurn, describeMedia, type StreamFacts } from '../describeMedia.ts';
import { mediaErrors } from '../../mediaErrors.ts';
import { mediaFault } from '../mediaFault.ts';
import type { MediaInfo } from '../mediaInfo.ts';
import { sniffContainer } from '../sniff/sniffContainer.ts';
import { fileUrl, guards } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';

/** Reads the facts of a file with ffprobe, after the first bytes have identified the container. */
export async function probeFile(tools: FfmpegTools, path: string, signal: AbortSignal): Promise<MediaInfo> {
  signal.throwIfAborted();
  const container = await sniffContainer(path);
  const { size } = await stat(path);
  const [answer, decodes] = await Promise.all([askProbe(tools, path, container, signal), tools.programs.decodes()]);
  return describeMedia(
    {
      path, container, bytes: size, start: seconds(member(answer, 'format', 'start_time')) ?? 0,
      duration: seconds(member(answer, 'format', 'duration')), streams: members(answer, 'streams').map(streamFacts),
    },
    { pixels: tools.limits.pixels, decodes: (codec) => decodes.has(codec) },
  );
}

async function askProbe(tools: FfmpegTools, path: string, container: string, signal: AbortSignal): Promise<unknown> {
  const heard: Buffer[] = [];
  const child = startFfmpeg(tools, {
    program: 'ffprobe',
    args: ['-hide_banner', '-loglevel', 'error', ...guards(container, tools.limits), '-show_streams', '-show_format', '-of', 'json', '-i', fileUrl(path)],
    stdout: 'pipe',
    heardStderr: (chunk) => heard.length < 100 && heard.push(chunk),
    signal,
  });
  const tooLarge = (): boolean => /exceeds specified max pixel count|Picture size \d+x\d+ is invalid/.test(Buffer.concat(heard).toString('latin1'));
  try {
    const answer = await readAll(child.stdout);
    await child.done;
    if (!tooLarge()) return JSON.parse(answer);
  } catch (error) {
    if (signal.aborted || !tooLarge()) throw mediaFault(error, { path, signal, failing: `is not a readable ${container} file`, code: 'damaged-media' });
  }
  throw mediaErrors.problem('picture-too-large', `${basename(path)} has frames of more than ${tools.limits.pixels} pixels. Convert the video to a smaller frame size.`);
}

async function readAll(stdout: Readable | null): Promise<string> {
  return stdout === null ? '' : text(stdout);
}

function streamFacts(stream: unknown): StreamFacts {
  const kind = member(stream, 'codec_type');
  const codec = member(stream, 'codec_name');
  const language = member(stream, 'tags', 'language');
  const timecode = member(stream, 'tags', 'timecode');
  const matrix = members(stream, 'side_data_list').find((data) => member(data, 'rotation') !== undefined);
  return {
    index: count(member(stream, 'index')),
    kind: kind === 'video' || kind === 'audio' || kind === 'subtitle' ? kind : 'other',
    codec: typeof codec === 'string' && codec !== 'unknown' && codec !== 'none' ? codec : null,
    attachedPicture: member(stream, 'disposition', 'attached_pic') === 1,
    isDefault: member(stream, 'disposition', 'default') === 1,
    duration: seconds(member(stream, 'duration')),
    language: typeof language === 'string' ? language.slice(0, 20) : null,
    width: count(member(stream, 'width')),
    height: count(member(stream, 'height')),
    sampleAspect: ratio(member(stream, 'sample_aspect_ratio'), ':'),
    rotation: clockwiseTurn(Number(member(matrix, 'rotation') ?? 0)),
    pixelFormat: name(member(stream, 'pix_fmt')),
    colour: {
      primaries: colourNumber('primaries', name(member(stream, 'color_primaries'))),
      transfer: colourNumber('transfer', name(member(stream, 'color_transfer'))),
      matrix: colourNumber('matrix', name(member(stream, 'color_space'))),
    },
    averageRate: fraction(member(stream, 'avg_frame_rate')),
    baseRate: fraction(member(stream, 'r_frame_rate')),
    sampleRate: count(member(stream, 'sample_rate')),
    channels: count(member(stream, 'channels')),
    delay: count(member(stream, 'has_b_frames')),
    simpleProfile: member(stream, 'profile') === 'Simple Profile',
    timecode: typeof timecode === 'string' ? timecode : null,
  };
}

/** The value at a path of property names; undefined if there is none. */
function member(value: unknown, ...names: readonly string[]): unknown {
  let here = value;
  for (const key of names) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

function members(value: unknown, key: string): readonly unknown[] {
  const list = member(value, key);
  return Array.isArray(list) ? list : [];
}

function seconds(value: unknown): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}

function count(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

function name(value: unknown): string {
  return typeof value === 'string' ? value : 'unknown';
}

function fraction(value: unknown, sign = '/'): { numerator: number; denominator: number } {
  const [numerator, denominator] = typeof value === 'string' ? value.split(sign) : [];
  return { numerator: count(numerator), denominator: count(denominator) };
}

function ratio(value: unknown, sign: string): number {
  const { numerator, denominator } = fraction(value, sign);
  return numerator > 0 && denominator > 0 ? numerator / denominator : 1;
}
