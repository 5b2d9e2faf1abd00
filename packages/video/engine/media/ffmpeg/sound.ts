import { believableEnd } from '../believableEnd.ts';
import type { SoundRequest } from '../mediaBackend.ts';
import { mediaFault } from '../mediaFault.ts';
import { placeSamples, type SampleRun } from '../placeSamples.ts';
import { clean, fileUrl, fromZero, guards, quiet, secondsText } from './commandLine.ts';
import { startFfmpeg, type FfmpegTools } from './ffmpegChild.ts';
import { parseNut } from './parseNut.ts';
import { seekBefore } from './seeking.ts';

/** Sound to decode before `from`, seconds, so that the decoder and the resampler are exact at `from`. */
const warmUpSeconds = 0.5;
/**
 * Offset added to all times, seconds, because NUT has no negative times and the first packets of AAC and Opus are before 0.
 */
const offsetSeconds = 100;

/** Decodes, resamples and mixes the sound in ffmpeg, and places the samples on an even clock in this process. */
export async function* decodeSound(tools: FfmpegTools, request: SoundRequest): AsyncGenerator<Int16Array> {
  const { path, info, signal, sampleRate, channels, from = 0, to = Number.POSITIVE_INFINITY } = request;
  if (info.audio === null) return;
  const end = Math.min(to, believableEnd(info.duration));
  const child = startFfmpeg(tools, { args: soundArguments(tools, request, info.audio.stream, end), stdout: 'pipe', signal });
  try {
    yield* placeSamples(soundRuns(child.stdout ?? []), { sampleRate, channels, from, to });
    // Discards the rest of the output after `to`.
    child.stdout?.resume();
    await child.done;
  } catch (error) {
    child.stop({ kind: 'cancelled' });
    const failure = await child.done.then(() => error, (reason: unknown) => reason);
    throw mediaFault(failure, { path, signal, failing: 'has audio that cannot be decoded', code: 'decoder-failed' });
  } finally {
    child.stop({ kind: 'cancelled' });
    await child.done.catch(() => {});
  }
}

/** Parses the output of `soundOutput`. */
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

/** Output options that write sound up to a time (seconds) to a file descriptor. */
export function soundOutput({ sampleRate, channels }: Pick<SoundRequest, 'sampleRate' | 'channels'>, stream: number, to: number, descriptor: number): string[] {
  return [
    '-map', `0:${stream}`, '-vn', '-sn', '-dn', ...clean,
    '-af', `atrim=end=${secondsText(to + 0.1)},aresample=${sampleRate}:resampler=swr,aformat=sample_fmts=s16:channel_layouts=${channels === 1 ? 'mono' : 'stereo'}`,
    '-c:a', 'pcm_s16le', '-output_ts_offset', String(offsetSeconds), '-avoid_negative_ts', 'disabled', '-max_error_rate', '1', '-f', 'nut', `pipe:${descriptor}`,
  ];
}
