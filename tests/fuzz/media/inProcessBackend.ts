import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Problem } from '@vouch/platform/errors/problem';
import { believableEnd } from '../../../packages/video/engine/media/believableEnd.ts';
import { describeMedia } from '../../../packages/video/engine/media/describeMedia.ts';
import type { MediaBackend, Picture } from '../../../packages/video/engine/media/mediaBackend.ts';
import type { MediaInfo } from '../../../packages/video/engine/media/mediaInfo.ts';
import { parseRecords, type AvRecord } from '../../../packages/video/engine/media/nodeAv/protocol/records.ts';
import type { KnownSource, ProbeAnswer, Source } from '../../../packages/video/engine/media/nodeAv/protocol/task.ts';
import { writePackets } from '../../../packages/video/engine/media/nodeAv/tasks/packets.ts';
import { writePictures } from '../../../packages/video/engine/media/nodeAv/tasks/pictures.ts';
import { probe } from '../../../packages/video/engine/media/nodeAv/tasks/probe.ts';
import { writeSound } from '../../../packages/video/engine/media/nodeAv/tasks/sound.ts';
import { makePacketIndex } from '../../../packages/video/engine/media/packetIndex.ts';
import { placeSamples, type SampleRun } from '../../../packages/video/engine/media/placeSamples.ts';
import { mediaErrors } from '../../../packages/video/engine/mediaErrors.ts';
import { sniffContainer } from '../../../packages/video/engine/media/sniff/sniffContainer.ts';
import { fuzzLimits } from './throughEngine.ts';

type Reading = Pick<MediaBackend, 'name' | 'version' | 'probe' | 'packets' | 'pictures' | 'sound'>;

/**
 * The reading half of the npm backend without processes: each file that fails would cost one, half a second of processor
 * time, which is too much for hundreds of files. The tasks of its child run here, one after the other; what they write to standard output
 * goes to a file.
 */
export function openInProcess(answers: string): Reading {
  closeSync(1);
  if (openSync(answers, 'a+') !== 1) throw new Error('standard output could not be turned into a file');
  const ask = (task: () => unknown): { answer: Buffer; failed: boolean } => {
    ftruncateSync(1, 0);
    let failed = false;
    try {
      task();
    } catch (error) {
      // In its child: a sentence on standard error and code 1.
      if (!(error instanceof Error)) throw error;
      failed = true;
    }
    return { answer: readFileSync(answers), failed };
  };
  const damaged = (path: string): Problem => mediaErrors.problem('damaged-media', `${basename(path)} cannot be read. Check that it plays and is complete.`);
  const sourceOf = (path: string, container: string): Source => ({ path, container, pixels: fuzzLimits.pixels, threads: 1, start: null });
  const known = (path: string, info: MediaInfo): KnownSource => ({ ...sourceOf(path, info.container), start: info.start, info });

  return {
    name: 'node-av',
    version: 'in one process',
    async probe(path) {
      const container = await sniffContainer(path);
      const { size } = await stat(path);
      const { answer, failed } = ask(() => writeSync(1, JSON.stringify(probe(sourceOf(path, container)))));
      if (failed) throw damaged(path);
      const { streams, ...facts } = JSON.parse(answer.toString('utf8')) as ProbeAnswer;
      const decodable = new Set(streams.filter((stream) => stream.decodable).map((stream) => stream.codec));
      return describeMedia({ path, container, bytes: size, streams, ...facts }, { pixels: fuzzLimits.pixels, decodes: (codec) => decodable.has(codec) });
    },
    async packets(path, info) {
      const { answer, failed } = ask(() => writePackets(known(path, info)));
      if (failed) throw damaged(path);
      const records = await recordsOf(answer);
      if (records.length === 0) throw damaged(path);
      return makePacketIndex(records.map(({ time, number }) => ({ time, size: number >>> 1, key: number % 2 === 1 })));
    },
    pictures({ path, info, width, height, format, skip, from = null, to = null, fromKey = false }) {
      let damage = 0;
      async function* decode(): AsyncGenerator<Picture> {
        const { answer, failed } = ask(() => writePictures({ kind: 'pictures', source: known(path, info), width, height, format, skip, from, to, fromKey }));
        for (const { time, number, data } of await recordsOf(answer)) {
          damage = number;
          if (data.length > 0) yield { time, data };
        }
        if (failed) throw damaged(path);
      }
      return { damaged: () => damage, [Symbol.asyncIterator]: decode };
    },
    async *sound({ path, info, sampleRate, channels, from = 0, to = Number.POSITIVE_INFINITY }) {
      async function* runs(): AsyncGenerator<SampleRun> {
        const end = Math.min(to, believableEnd(info.duration));
        const { answer, failed } = ask(() => writeSound({ kind: 'sound', source: known(path, info), sampleRate, channels, from, to: end }));
        for (const { time, data } of await recordsOf(answer)) yield { time, samples: new Int16Array(data.buffer, 0, data.byteLength >> 1) };
        if (failed) throw damaged(path);
      }
      yield* placeSamples(runs(), { sampleRate, channels, from, to });
    },
  };
}

async function recordsOf(answer: Buffer): Promise<AvRecord[]> {
  const records: AvRecord[] = [];
  for await (const record of parseRecords(whole(answer))) records.push(record);
  return records;
}

async function* whole(answer: Buffer): AsyncGenerator<Uint8Array> {
  yield answer;
}
