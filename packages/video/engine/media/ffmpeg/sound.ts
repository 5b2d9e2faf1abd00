import { believableEnd } from '../believableEnd.ts';
import type { SoundRequest } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { placeSamples, type SampleRun } from '../placeSamples.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { parseNut } from './parseNut.ts';
import { seekBefore } from './seeking.ts';

/** The decoder and the resampler need what lies before to be right at `from`. */
const warmUpSeconds = 0.5;
/** NUT has no negative times, but the first packets of AAC and Opus lie before 0. */
const offsetSeconds = 100;

/** Decodes, resamples and mixes the sound in ffmpeg, and puts it onto an even clock here. */
export async function* decodeSound(tools: FfmpegTools, request: SoundRequest): AsyncGenerator<Int16Array> {
  const { path, info, signal, sampleRate, channels, from = 0, to = Number.POSITIVE_INFINITY } = request;
  if (info.audio === null) return;
  const end = Math.min(to, believableEnd(info.duration));
  const child = startFfmpeg(tools, { args: soundArguments(tools, request, info.audio.stream, end), stdout: 'pipe', signal });
  try {
    yield* placeSamples(soundRuns(child.stdout ?? []), { sampleRate, channels, from, to });
    // At `to` it may still have something to say, which nobody needs.
    child.stdout?.resume();
    await child.done;
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'has sound that cannot be decoded', code: 'decoder-failed' });
  } finally {
    child.stop({ kind: 'cancelled' });
    await child.done.catch(() => {});
  }
}

/** What `soundOutput` writes. */
export async function* soundRuns(stdout: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<SampleRun> {
  for await (const { time, data } of parseNut(stdout)) {
    yield { time: time - offsetSeconds, samples: new Int16Array(data.buffer, 0, data.byteLength >> 1) };
  }
}

function soundArguments({ limits }: FfmpegTools, request: SoundRequest, stream: number, to: number): string[] {
  const { path, info, from } = request;
  return [
    ...quiet,
    ...guards(info.container, limits), '-threads', '1',
    ...seekBefore(info, from === undefined ? undefined : from - warmUpSeconds),
    ...fromZero(info), '-i', fileUrl(path),
    ...soundOutput(request, stream, to, 1),
  ];
}

/** The output options of sound up to a time, into a descriptor. */
export function soundOutput({ sampleRate, channels }: Pick<SoundRequest, 'sampleRate' | 'channels'>, stream: number, to: number, descriptor: number): string[] {
  return [
    '-map', `0:${stream}`, '-vn', '-sn', '-dn', ...clean,
    '-af', `atrim=end=${secondsText(to + 0.1)},aresample=${sampleRate}:resampler=swr,aformat=sample_fmts=s16:channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`,
    '-c:a', 'pcm_s16le', '-output_ts_offset', String(offsetSeconds), '-avoid_negative_ts', 'disabled', '-max_error_rate', '1', '-f', 'nut', `pipe:${descriptor}`,
  ];
}
