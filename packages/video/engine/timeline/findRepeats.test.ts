import { describe, expect, it } from 'vitest';
import { layoutLength } from '../pictures/frameTrack.ts';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { findRepeats } from './findRepeats.ts';

const lagsOf = (analysis: Parameters<typeof findRepeats>[0]): number[] => [...findRepeats(analysis)].map(Math.round);

describe('a shot beside a copy', () => {
  /** A scene, a second scene, another scene, and the first two again; each becomes brighter, and the last is brighter than its copy. */
  const film = (options: { loudness: number; later?: number; brighter: number; silent?: boolean }) => {
    const analysis = testAnalysis([1, 2, 3, 1, 2].map((look, index) => ({ seconds: 10, look, loudness: index < 4 ? options.loudness : options.later ?? options.loudness })), { silent: options.silent === true });
    const { frames } = analysis;
    return { ...analysis, frames: { ...frames, brightness: frames.brightness.map((_, index) => 60 + 10 * (frames.times[index]! % 10) + (frames.times[index]! >= 40 ? options.brighter : 0)) } };
  };

  it('repeats with it if it continues the same scenes, though the decoder shows it brighter', () => {
    expect(lagsOf(film({ loudness: -30, brighter: 4 }))).toEqual([0, 0, 0, 30, 30]);
  });

  it('repeats with it however short it is, and however it is cut', () => {
    const analysis = film({ loudness: -30, brighter: 4 });
    const shots = [...analysis.shots.slice(0, 4), { start: 40, end: 40.6 }, { start: 40.6, end: 43 }, { start: 43, end: 50 }];
    expect(lagsOf({ ...analysis, shots })).toEqual([0, 0, 0, 30, 30, 30, 30]);
  });

  it('is another scene if its brightness differs much, its sound differs, or no sound confirms it', () => {
    expect(lagsOf(film({ loudness: -30, brighter: 6 }))).toEqual([0, 0, 0, 30, 0]);
    expect(lagsOf(film({ loudness: -30, later: -24, brighter: 4 }))).toEqual([0, 0, 0, 30, 0]);
    expect(lagsOf(film({ loudness: -30, brighter: 4, silent: true }))).toEqual([0, 0, 0, 30, 0]);
  });
});

describe('a shot without sound between two key frames', () => {
  /** Three scenes of 4 s, twice, of which the decoder has shown the frames that `isDecoded` names. */
  const film = (isDecoded: (frame: number) => boolean) => {
    const analysis = testAnalysis([1, 2, 3, 1, 2, 3].map((look) => ({ seconds: 4, look })), { silent: true });
    const { times, layouts, pages, ...columns } = analysis.frames;
    const decoded = Array.from(times.keys()).filter(isDecoded);
    const pick = (values: Float32Array): Float32Array => Float32Array.from(decoded, (frame) => values[frame]!);
    const rowAt = (row: number): number => Math.floor(times[decoded.findLast((frame) => times[frame]! <= row / 2 + 1e-9)!]! * 2);
    const shown = layouts.map((_, index) => layouts[rowAt(Math.floor(index / layoutLength)) * layoutLength + index % layoutLength]!);
    const picked = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, pick(values)])) as typeof columns;
    return { ...analysis, frames: { ...picked, times: Float64Array.from(decoded, (frame) => times[frame]!), layouts: shown, pages } };
  };

  it('repeats no other shot that the same key frame stands for', () => {
    expect(lagsOf(film((frame) => frame % 300 === 0))).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('is compared with other shots where the pictures of both are known', () => {
    expect(lagsOf(film((frame) => frame % 4 === 0))).toEqual([0, 0, 0, 12, 12, 12]);
    expect(lagsOf(film((frame) => frame % 100 < 25))).toEqual([0, 0, 0, 12, 12, 12]);
  });
});

describe('a moving shot with other sound and brightness', () => {
  /** A scene of 4 s twice with a scene of 6 s between them; `rhythm` is the residual of frame `frame` of the copy. */
  const film = (rhythm: (frame: number) => number) => {
    const analysis = testAnalysis([{ seconds: 4, look: 1, loudness: -30 }, { seconds: 6, look: 2, loudness: -30 }, { seconds: 4, look: 1, loudness: -18 }]);
    const { frames } = analysis;
    const later = (index: number): boolean => frames.times[index]! >= 10;
    return { ...analysis, frames: {
      ...frames,
      brightness: frames.brightness.map((value, index) => (later(index) ? value + 1.5 : value)),
      residual: frames.residual.map((_, index) => (later(index) ? rhythm(index - 250) : irregular(index))),
      layouts: frames.layouts.map((value, index) => value + (Math.floor(index / layoutLength) % 20 % 2 === 0 ? 5 : 0)),
    } };
  };
  const irregular = (frame: number): number => 2 + Math.sin(frame * frame);

  it('is a copy if it changes in the same rhythm', () => {
    expect(lagsOf(film((frame) => 1.1 * irregular(frame)))).toEqual([0, 0, 10]);
  });

  it('is no copy if it moves in another way, or if only its still frames have the same rhythm', () => {
    expect(lagsOf(film((frame) => irregular(frame + 37)))).toEqual([0, 0, 0]);
    const drawn = film((frame) => (frame % 10 === 0 ? 2 : 0));
    const slow = { ...drawn.frames, residual: drawn.frames.residual.map((value, index) => (index < 100 ? (index % 10 === 0 ? 2 : 0) : value)) };
    expect(lagsOf({ ...drawn, frames: slow })).toEqual([0, 0, 0]);
  });
});

describe('a shot that stays in place, with other sound', () => {
  /** A scene of 4 s twice with a scene of 6 s between them; `rhythm` is the residual of frame `frame` of the copy. */
  const film = (rhythm: (frame: number) => number, brighter = 0) => {
    const analysis = testAnalysis([{ seconds: 4, look: 1, loudness: -30 }, { seconds: 6, look: 2, loudness: -30 }, { seconds: 4, look: 1, loudness: -18 }]);
    const { frames } = analysis;
    const copied = (index: number): boolean => frames.times[index]! >= 10;
    return { ...analysis, frames: {
      ...frames,
      brightness: frames.brightness.map((value, index) => (copied(index) ? value + brighter : value)),
      residual: frames.residual.map((_, index) => (copied(index) ? rhythm(index - 250) : leaves(index))),
    } };
  };
  const leaves = (frame: number): number => 1 + Math.sin(frame * frame);

  it('is a copy if it changes in the same rhythm', () => {
    expect(lagsOf(film(leaves))).toEqual([0, 0, 10]);
  });

  it('is no copy if something else moves, nothing moves, or the light is another', () => {
    expect(lagsOf(film((frame) => leaves(frame + 37)))).toEqual([0, 0, 0]);
    expect(lagsOf(film(() => 0))).toEqual([0, 0, 0]);
    expect(lagsOf(film(leaves, 1.5))).toEqual([0, 0, 0]);
  });
});

it('a copy is found behind more shots of similar layout than are compared', () => {
  const similar = 40;
  const analysis = testAnalysis([...Array(similar).keys(), similar - 1].map((scene) => ({ seconds: 2, look: 1 + 1e-4 * scene, loudness: -30 })));
  const { frames } = analysis;
  const brightness = frames.brightness.map((_, index) => 20 + 5 * Math.min(similar - 1, Math.floor(frames.times[index]! / 2 + 1e-6)));
  expect(lagsOf({ ...analysis, frames: { ...frames, brightness } })).toEqual([...Array<number>(similar).fill(0), 2]);
});

describe('a still page of the same layout without sound', () => {
  it('repeats an earlier page with the same text, and none with another text', () => {
    expect(lagsOf(testAnalysis([1, 2, 3, 1].map((page) => ({ seconds: 8, look: 1, page, motion: 0 })), { silent: true, noise: 0 }))).toEqual([0, 0, 0, 24]);
  });
});
