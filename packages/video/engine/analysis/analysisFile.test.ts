import { unspecifiedColour } from '../media/colour.ts';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { layoutLength } from '../pictures/frameTrack.ts';
import { melBands } from '../sound/soundTrack.ts';
import { analysisVersion, type Analysis } from './analysis.ts';
import { AnalysisUnreadable, readAnalysis, writeAnalysis } from './analysisFile.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'analysis-'));
});
afterAll(() => rm(folder, { recursive: true }));

function example(silent: boolean): Analysis {
  const numbers = (length: number): Float32Array => Float32Array.from({ length }, (_, at) => at / 3);
  return {
    version: analysisVersion,
    tier: 'balanced',
    backend: { name: 'ffmpeg', version: '5.1.9' },
    info: {
      container: 'mp4', bytes: 1234, start: 0, duration: 3.04, subtitles: [],
      video: {
        stream: 0, codec: 'h264', width: 160, height: 90, rotation: 0, frameRate: { numerator: 25, denominator: 1 },
        variableFrameRate: false, pixelFormat: 'yuv420p', bitDepth: 8, colour: unspecifiedColour, highDynamicRange: false,
      },
      audio: silent ? null : { stream: 1, codec: 'aac', sampleRate: 48_000, channels: 2 },
    },
    frameTimes: Float64Array.from({ length: 77 }, (_, at) => at / 25),
    frameSizes: Uint32Array.from({ length: 77 }, (_, at) => at * 100),
    frames: {
      times: Float64Array.from({ length: 5 }, (_, at) => at / 7),
      difference: numbers(5), residual: numbers(5), pan: numbers(5), brightness: numbers(5), contrast: numbers(5),
      saturation: numbers(5), detail: numbers(5), sharpness: numbers(5), layouts: new Uint8Array(layoutLength * 3).fill(9), pages: Uint32Array.from([0, 1, 1]),
    },
    sound: silent ? null : { loudness: numbers(7), onset: numbers(7), speech: numbers(7), spectra: numbers(melBands * 2) },
    transitions: [{ kind: 'cut', start: 1 / 3, end: 1 / 3, confidence: 0.9 }],
    shots: [{ start: 0, end: 1 / 3 }, { start: 1 / 3, end: 3.04 }],
    timeline: {
      cells: 7, motion: numbers(7), sound: numbers(7), speech: numbers(7), novelty: numbers(7), cues: [{ kind: 'black', start: 0, end: 0.5 }],
      boundaries: {
        times: Float64Array.from([0, 3.04]), grades: new Uint8Array(2), pauses: numbers(2), depths: numbers(2), starts: new Uint8Array(2), ends: new Uint8Array(2),
      },
      pieces: { cells: Uint32Array.from([0, 7]), shots: Uint32Array.from([0]), layouts: numbers(layoutLength), pages: Uint32Array.from([1]) },
      repeats: Float64Array.from([0, 0]),
    },
    warnings: [{ code: 'damaged-frames', detail: 'Zürich 🎬' }],
  };
}

describe('an analysis file', () => {
  it.each([true, false])('gives back every number as it was (silent: %s)', async (silent) => {
    const path = join(folder, 'whole');
    await writeAnalysis(path, example(silent));
    expect(await readAnalysis(path)).toEqual(example(silent));
  });

  it('is the same bytes for the same analysis', async () => {
    const paths = [join(folder, 'one'), join(folder, 'two')];
    for (const path of paths) await writeAnalysis(path, example(false));
    const [one, two] = await Promise.all(paths.map((path) => readFile(path)));
    expect(one?.equals(two ?? Buffer.alloc(0))).toBe(true);
  });

  it('is refused wherever it is cut off', async () => {
    const path = join(folder, 'cut');
    await writeAnalysis(path, example(false));
    const whole = await readFile(path);
    for (let length = 0; length < whole.length - 8; length += 97) {
      await writeFile(path, whole.subarray(0, length));
      await expect(readAnalysis(path), `${length} bytes`).rejects.toThrow(AnalysisUnreadable);
    }
  });

  it('of another version is refused', async () => {
    const path = join(folder, 'version');
    await writeAnalysis(path, { ...example(false), version: analysisVersion + 1 });
    await expect(readAnalysis(path)).rejects.toThrow(`version ${analysisVersion + 1}`);
  });
});
