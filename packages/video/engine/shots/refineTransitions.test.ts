import { describe, expect, it } from 'vitest';
import type { PacketIndex } from '../media/mediaInfo.ts';
import { PictureMeter, type Measured } from '../pictures/pictureMeter.ts';
import { detectShots } from './detectShots.ts';
import { dissolve, mixPictures, paintEven, paintScene } from '../testing/paintPictures.ts';
import { needsExact, refineTransitions, type TimeWindow } from './refineTransitions.ts';

const rate = 25;

/** Two cuts and a short dissolve, followed by a pan. */
const first = paintScene({ seed: 31, pan: 1 }, 41);
const second = paintScene({ seed: 32, pan: 2 }, 70);
const third = paintScene({ seed: 33 }, 60);
const pictures = [...first, ...second.slice(0, 56), ...dissolve(second.slice(56, 64), third), ...third.slice(8), ...paintScene({ seed: 34, noise: 4 }, 30)];
const cuts = [41, 157];
const end = pictures.length / rate;
/** All packets have the same size, except the packets of the cuts, which hold new pictures. */
const packets: PacketIndex = {
  times: Float64Array.from(pictures, (_, number) => number / rate),
  sizes: Uint32Array.from(pictures, (_, number) => (cuts.includes(number) ? 5000 : 1000)),
  keys: new Uint8Array(pictures.length),
};

/** Every fourth picture, as if B-frames were skipped. */
function measureSome(step: number, window: TimeWindow = { from: 0, to: Infinity }): Measured {
  const meter = new PictureMeter();
  pictures.forEach((data, number) => {
    const time = number / rate;
    if (number % step === 0 && time >= window.from && time < window.to) meter.add({ time, data });
  });
  return meter.finish();
}

const refined = (): ReturnType<typeof refineTransitions> => {
  const coarse = detectShots(measureSome(4), end);
  return refineTransitions(coarse, needsExact(coarse.places, packets).map((window) => ({ window, measured: measureSome(1, window) })), end);
};

describe('boundaries between few analysed pictures', () => {
  it('are known to lie between two of them', () => {
    const { places } = detectShots(measureSome(4), end);
    for (const cut of cuts) expect(places.some(({ after, before }) => after < cut / rate && cut / rate <= before)).toBe(true);
  });

  it('become those of all pictures once the places are decoded', () => {
    const exact = detectShots(measureSome(1), end);
    const { transitions, shots, places } = refined();
    expect(transitions.filter(({ kind }) => kind === 'cut').map(({ start }) => Math.round(start * rate))).toEqual(cuts);
    expect(transitions.map(({ kind }) => kind)).toEqual(exact.transitions.map(({ kind }) => kind));
    expect(shots.length).toBe(exact.shots.length);
    expect(places).toEqual([]);
  });

  // With textures of these sizes, the few pictures show a cut on both sides of the flash, and only on the second side.
  it.each([6, 4])('do not become a cut where a flash was decoded and its neighbours were left out, in a scene that moves (texture of %i pixels)', (size) => {
    const scene = paintScene({ seed: 38, pan: 3, size }, 81).map((picture, number) => (number === 40 ? mixPictures(picture, paintEven(235), 0.9) : picture));
    const flashPackets: PacketIndex = { times: Float64Array.from(scene, (_, number) => number / rate), sizes: new Uint32Array(scene.length).fill(1000), keys: new Uint8Array(scene.length) };
    const measure = (taken: (number: number) => boolean, { from, to }: TimeWindow = { from: 0, to: Infinity }): Measured => {
      const meter = new PictureMeter();
      scene.forEach((data, number) => (taken(number) && number / rate >= from && number / rate < to ? meter.add({ time: number / rate, data }) : undefined));
      return meter.finish();
    };
    const coarse = detectShots(measure((number) => number % 4 === 0 || number === 41), scene.length / rate);
    expect(coarse.transitions.length).toBe(1);
    const windows = needsExact(coarse.places, flashPackets).map((window) => ({ window, measured: measure(() => true, window) }));
    expect(refineTransitions(coarse, windows, scene.length / rate).transitions).toEqual([]);
  });

  it('are one fade where the fade-out was decoded and the fade-in needed all pictures', () => {
    const [out, into] = [paintScene({ seed: 35, pan: 1 }, 60), paintScene({ seed: 36, pan: 1 }, 60)];
    const black = Array.from({ length: 12 }, () => paintEven(16));
    const film = [...out.slice(0, 48), ...dissolve(out.slice(48), black), ...black.slice(4), ...dissolve(black.slice(0, 8), into), ...into.slice(8)];
    const measure = (taken: (number: number) => boolean, { from, to }: TimeWindow = { from: 0, to: Infinity }): Measured => {
      const meter = new PictureMeter();
      film.forEach((data, number) => (taken(number) && number / rate >= from && number / rate < to ? meter.add({ time: number / rate, data }) : undefined));
      return meter.finish();
    };
    const coarse = detectShots(measure((number) => number < 66 || number % 10 === 0), film.length / rate);
    const window = { from: 62 / rate, to: 84 / rate };
    const { transitions } = refineTransitions(coarse, [{ window, measured: measure(() => true, window) }], film.length / rate);
    expect(transitions.map(({ kind, start, end }) => [kind, Math.round(start * rate), Math.round(end * rate)])).toEqual([['fade', 49, 76]]);
  });

  it('stay at the first picture of a window, such as a key frame, which has no picture before it to differ from', () => {
    const coarse = detectShots(measureSome(1), end);
    const window = { from: cuts[0]! / rate, to: (cuts[0]! + 50) / rate };
    const { transitions } = refineTransitions(coarse, [{ window, measured: measureSome(1, window) }], end);
    expect(transitions.filter(({ kind }) => kind === 'cut').map(({ start }) => Math.round(start * rate))).toEqual(cuts);
  });

  it('stay where nothing was decoded', () => {
    const coarse = detectShots(measureSome(4), end);
    expect(refineTransitions(coarse, [], end)).toEqual(coarse);
  });

  it('are the same each time', () => {
    expect(refined()).toEqual(refined());
  });
});

describe('windows to decode', () => {
  it('surround each place, are joined where they overlap and never begin before the video', () => {
    const score = 1;
    const windows = needsExact([{ after: 0.1, before: 0.2, score }, { after: 0.5, before: 0.62, score }, { after: 5, before: 5.12, score }], packets);
    expect(windows.length).toBe(2);
    expect(windows[0]!.from).toBe(0);
    expect(windows[0]!.to).toBeGreaterThan(0.7);
    expect(windows[1]!.from).toBeLessThan(5);
    expect(windows[1]!.to).toBeGreaterThan(5.1);
  });

  it('are not needed for a sure cut between two frames that follow each other', () => {
    expect(needsExact([{ after: 2, before: 2.04, score: 0 }], packets)).toEqual([]);
    expect(needsExact([{ after: 2, before: 2.08, score: 0 }], packets).length).toBe(1);
  });

  it('are needed in great doubt where a packet is a key frame or larger than most around it, on either side of nothing or of frames left out', () => {
    for (const before of [2.04, 2.16]) {
      const places = [{ after: 2, before, score: -1.5 }];
      const frame = Math.round(before * rate);
      expect(needsExact(places, packets)).toEqual([]);
      expect(needsExact([{ after: 2, before, score: -0.9 }], packets).length).toBe(1);
      expect(needsExact(places, { ...packets, keys: packets.keys.with(frame, 1) }).length).toBe(1);
      expect(needsExact(places, { ...packets, sizes: packets.sizes.with(frame, 1400) }).length).toBe(1);
      expect(needsExact(places, { ...packets, sizes: packets.sizes.with(frame, 1200) })).toEqual([]);
      expect(needsExact(places, { ...packets, sizes: packets.sizes.with(frame + 2, 1400) })).toEqual([]);
      expect(needsExact(places, { ...packets, sizes: packets.sizes.map((size) => size / 10) }).length).toBe(1);
    }
  });
});
