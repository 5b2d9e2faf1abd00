import { rm, writeFile } from 'node:fs/promises';
import type { FrameRate, MediaBackend } from '../engine/media/mediaBackend.ts';
import { Canvas } from './canvas.ts';
import { scenes, type ClipEvent, type Scene } from './scenes.ts';
import { clipSampleRate, SoundDesk } from './soundDesk.ts';

const width = 320;
const height = 180;
const rate: FrameRate = { numerator: 15, denominator: 1 };

/** File name of the clip. Increase the number when the clip changes, so that an old file is not reused. */
export const clipName = 'a-day-at-the-sea-1.mp4';

/** Contents of the generated clip, to check the results of a summarization. */
export interface GeneratedClip {
  duration: number;
  scenes: readonly { name: string; start: number; end: number }[];
  /** Events that a preview should show, with their times in the clip, seconds. */
  events: readonly ClipEvent[];
}

/** Describes the clip without generating it. */
export function describeClip(): GeneratedClip {
  const placed = placeScenes();
  return {
    duration: placed.reduce((sum, { scene }) => sum + scene.seconds, 0),
    scenes: placed.map(({ scene, start }) => ({ name: scene.name, start, end: start + scene.seconds })),
    events: placed.flatMap(({ scene, start }) => scene.events.map((event) => ({ ...event, at: start + event.at }))),
  };
}

function placeScenes(): { scene: Scene; start: number }[] {
  let start = 0;
  return scenes.map((scene) => {
    const placed = { scene, start };
    start += scene.seconds;
    return placed;
  });
}

/**
 * Generates a clip of a day at the sea: about 80 s of 320 × 180 pixels at 15 frames per second, with sound, colour bars, a
 * title, ten scenes with cuts between them, several events and credits. The encoder receives the same bytes each time.
 *
 * @example
 * const { events } = await generateClip(backend, 'sample.mp4', signal);
 *
 * @param output path of the .mp4 file to write
 */
export async function generateClip(backend: MediaBackend, output: string, signal: AbortSignal): Promise<GeneratedClip> {
  const perSecond = rate.numerator / rate.denominator;
  const described = describeClip();
  const desk = new SoundDesk(described.duration);
  const painters = placeScenes().map(({ scene, start }) => ({ ...scene, start, paint: scene.prepare(desk, start, new Canvas(width, height)) }));
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
  return described;
}

function* paintAll(painters: readonly { seconds: number; paint: (canvas: Canvas, time: number) => void }[], perSecond: number): Generator<Uint8Array> {
  const canvas = new Canvas(width, height);
  for (const { seconds, paint } of painters) {
    const frames = Math.round(seconds * perSecond);
    for (let frame = 0; frame < frames; frame += 1) {
      paint(canvas, frame / perSecond);
      // A copy, because the encoder may read the picture after the next one is painted.
      yield canvas.data.slice();
    }
  }
}
