import { expect, test } from 'vitest';
import { Canvas } from './canvas.ts';
import { describeClip } from './generateClip.ts';
import { scenes } from './scenes.ts';
import { SoundDesk } from './soundDesk.ts';

/** Paints three pictures of every scene and mixes the sound of all scenes. */
function make(): { pictures: string[][]; sound: Uint8Array } {
  const { duration, scenes: places } = describeClip();
  const desk = new SoundDesk(duration);
  const canvas = new Canvas(64, 36);
  const pictures = scenes.map((scene, index) => {
    const paint = scene.prepare(desk, places[index]!.start, canvas);
    return [0, 0.5, 0.9].map((share) => {
      paint(canvas, share * scene.seconds);
      return Buffer.from(canvas.data).toString('base64');
    });
  });
  return { pictures, sound: desk.toBytes() };
}

const first = make();

test('the clip is the same each time, and no scene looks like another', () => {
  const second = make();
  expect(second.pictures).toEqual(first.pictures);
  expect(Buffer.from(second.sound).equals(Buffer.from(first.sound))).toBe(true);
  expect(new Set(first.pictures.map(([picture]) => picture)).size).toBe(scenes.length);
});

test('what is planted lies in its scene and can be heard', () => {
  const { duration, scenes: places, events } = describeClip();
  expect(places.at(-1)?.end).toBe(duration);
  const samples = new Int16Array(first.sound.buffer);
  const loudest = (from: number, to: number): number => samples.subarray(from * 16_000, to * 16_000).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const silence = places.find(({ name }) => name === 'credits')!;
  for (const { at } of events) {
    expect(places.some(({ start, end }) => at > start && at < end)).toBe(true);
    expect(loudest(at, at + 1)).toBeGreaterThan(2000);
  }
  expect(loudest(silence.start, silence.end)).toBe(0);
});
