import { AV_NOPTS_VALUE } from 'node-av/constants';
import { avGetSampleFmtName, type Frame } from 'node-av/lib';
import { openDecoder } from '../libav/decoder.ts';
import { openFilterChain, type FilterChain } from '../libav/filterChain.ts';
import { openInput } from '../libav/input.ts';
import { openRawOutput } from '../libav/rawOutput.ts';
import { makeHeader } from '../protocol/records.ts';
import type { Task } from '../protocol/task.ts';

/** Sound to decode before `from`, seconds, so that the decoder and the resampler are exact at `from`. */
const warmUp = 0.5;
/** Sound to decode after `to`, seconds, because the resampler delays samples. */
const afterglow = 0.2;

/** Runs the task `sound`: writes decoded samples to standard output. */
export function writeSound({ source, sampleRate, channels, from, to }: Extract<Task, { kind: 'sound' }>): void {
  const { audio } = source.info;
  if (audio === null) throw new Error('the file has no audio stream');
  const input = openInput(source);
  input.only(audio.stream);
  const decoder = openDecoder(input, input.stream(audio.stream), { threads: 1, pixels: source.pixels });
  if (from > warmUp) decoder.seek(from - warmUp);
  const resampler = openResampler(sampleRate, channels);
  const output = openRawOutput();
  const write = ({ time, bytes }: { time: number; bytes: Buffer }): void => {
    output.write(makeHeader(time, 0, bytes.length));
    output.write(bytes);
  };
  for (const { frame, time } of decoder.frames(to + afterglow)) for (const run of resampler.push(frame, time)) write(run);
  for (const run of resampler.push(null, 0)) write(run);
  output.flush();
  resampler.close();
  decoder.close();
  input.close();
}

interface Resampler {
  push(frame: Frame | null, time: number): Generator<{ time: number; bytes: Buffer }>;
  close(): void;
}

const microseconds = 1e6;

function openResampler(sampleRate: number, channels: 1 | 2): Resampler {
  let chain: { source: string; filters: FilterChain } | undefined;
  function* drain(frame: Frame | null): Generator<{ time: number; bytes: Buffer }> {
    for (const out of chain?.filters.push(frame) ?? []) {
      if (out.pts !== AV_NOPTS_VALUE) yield { time: Number(out.pts) / microseconds, bytes: out.toBuffer() };
    }
  }
  return {
    *push(frame, time) {
      if (frame === null) {
        yield* drain(null);
        return;
      }
      const source = soundSource(frame);
      if (chain?.source !== source) {
        yield* drain(null);
        chain?.filters.close();
        const filters = `aresample=${sampleRate}:resampler=swr,aformat=sample_fmts=s16:channel_layouts=${channels === 1 ? 'mono' : 'stereo'},asettb=1/${microseconds}`;
        chain = { source, filters: openFilterChain(source, filters, 'audio', 1) };
      }
      frame.pts = BigInt(Math.round(time * microseconds));
      yield* drain(frame);
    },
    close: () => chain?.filters.close(),
  };
}

function soundSource({ sampleRate, format, channelLayout, channels }: Frame): string {
  const layout = channelLayout.mask === 0n ? `${channels}c` : `0x${channelLayout.mask.toString(16)}`;
  return `time_base=1/${microseconds}:sample_rate=${sampleRate}:sample_fmt=${avGetSampleFmtName(format as Parameters<typeof avGetSampleFmtName>[0])}:channel_layout=${layout}`;
}
