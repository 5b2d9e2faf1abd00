import { expect, test } from 'vitest';
import type { MediaBackend, SoundRequest } from '../media/mediaBackend.ts';
import type { Source } from './encodePieces.ts';
import { SourceSound, type SoundSpan } from './sourceSound.ts';

const rate = 48_000;
const sourceSamples = 100 * rate;

/** A source of 100 s in which the value of each sample encodes its position. */
function counting(): { opened: SoundRequest[]; sound: MediaBackend['sound'] } {
  const opened: SoundRequest[] = [];
  return {
    opened,
    async* sound(request) {
      opened.push(request);
      const end = Math.min(sourceSamples, Math.round(request.to! * rate));
      for (let at = Math.round(request.from! * rate), size = 1000; at < end; at += size, size = 1 + (size * 7) % 5000) {
        yield Int16Array.from({ length: 2 * Math.min(size, end - at) }, (_, index) => placeValue(at + (index >> 1)));
      }
    },
  };
}

function placeValue(sample: number): number {
  return (sample % 30_011) + 1;
}

async function readAll(spans: readonly SoundSpan[]): Promise<{ opened: SoundRequest[]; read: number[][] }> {
  const { opened, sound } = counting();
  const reader = new SourceSound({ backend: { sound } as MediaBackend, source: { path: '', hash: '' } as Source, signal: new AbortController().signal }, spans);
  const read: number[][] = [];
  for (const _ of spans) {
    const left: number[] = [];
    for await (const chunk of reader.next()) for (let index = 0; index < chunk.length; index += 2) left.push(chunk[index]!);
    read.push(left);
  }
  await reader.close();
  return { opened, read };
}

test('each stretch is read to the sample, near ones by one decoder, also backwards and beyond the end', async () => {
  const spans = [{ from: 1, samples: 4001 }, { from: 1 + 4001 / rate, samples: 500 }, { from: 3.5, samples: 9000 }, { from: 80, samples: 10 }, { from: 2, samples: 7 }, { from: 99.99, samples: 100_000 }];
  const { opened, read } = await readAll(spans);
  expect(opened.map(({ from }) => from)).toEqual([1, 80, 2, 99.99]);
  for (const [index, { from, samples }] of spans.entries()) {
    const first = Math.round(from * rate);
    expect(read[index]).toEqual(Array.from({ length: samples }, (_, at) => (first + at < sourceSamples ? placeValue(first + at) : 0)));
  }
});
