import { rm, writeFile } from 'node:fs/promises';
import type { FrameRate, MediaBackend } from '../engine/media/mediaBackend.ts';
import { Canvas } from './canvas.ts';
import { scenes, type ClipEvent } from './scenes.ts';
import { clipSampleRate, SoundDesk } from './soundDesk.ts';

const width = 320;
const height = 180;
const rate: FrameRate = { numerator: 15, denominator: 1 };

/** What is in the generated clip, for whoever wants to know whether it was found. */
export interface GeneratedClip {
  duration: number;
  scenes: readonly { name: string; start: number; end: number }[];
  /** What is worth seeing or hearing, with its time in the clip, seconds. */
  events: readonly ClipEvent[];
}

/**
 * Makes a clip of a day at the sea, some 75 s of 320 × 180 at 15 frames per second with sound: colour bars, a title, ten
 * scenes with cuts between them, a few events, credits. The same bytes go to the encoder each time.
 * @param output an .mp4 file to be written
 */
export async function generateClip(backend: MediaBackend, output: string, signal: AbortSignal): Promise<GeneratedClip> {
  const perSecond = rate.numerator / rate.denominator;
  let duration = 0;
  const placed = scenes.map((scene) => {
    const start = duration;
    duration += scene.seconds;
    return { scene, start };
  });
  const desk = new SoundDesk(duration);
  const painters = placed.map(({ scene, start }) => ({ ...scene, start, paint: scene.prepare(desk, start, new Canvas(width, height)) }));
  const samplesFile = `${output}.samples`;
  try {
    await writeFile(samplesFile, desk.toBytes());
    await backend.encodeClip({
      width, height, rate, output, signal,
      pictures: paintAll(painters, perSecond),
      sound: { samplesFile, sampleRate: clipSampleRate, channels: 1 },
    });
  } finally {
    await rm(samplesFile, { force: true });
  }
  return {
    duration,
    scenes: placed.map(({ scene, start }) => ({ name: scene.name, start, end: start + scene.seconds })),
    events: placed.flatMap(({ scene, start }) => scene.events.map((event) => ({ ...event, at: start + event.at }))),
  };
}

function* paintAll(painters: readonly { seconds: number; paint: (canvas: Canvas, time: number) => void }[], perSecond: number): Generator<Uint8Array> {
  const canvas = new Canvas(width, height);
  for (const { seconds, paint } of painters) {
    const frames = Math.round(seconds * perSecond);
    for (let frame = 0; frame < frames; frame += 1) {
      paint(canvas, frame / perSecond);
      // The encoder may read it later.
      yield canvas.data.slice();
    }
  }
}
