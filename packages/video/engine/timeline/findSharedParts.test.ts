import { describe, expect, it } from 'vitest';
import { testAnalysis } from '../testing/testAnalysis.ts';
import { buildTimeline } from './buildTimeline.ts';
import { SharedParts } from './findSharedParts.ts';

/** A scene with words of changing length at 10 s and at 40 s, between other scenes; no cut is known. */
const film = testAnalysis([1, 2, 3, 4, 2, 5].map((look) => ({ seconds: 10, look, loudness: -30 })));
const again = (time: number): number => (time >= 40 ? time - 30 : time);
const voice = (time: number): number => (Math.sin(again(time) ** 2) > 0 ? -22 : -50);
const withSound = (level: (time: number) => number) => ({
  ...film, shots: [{ start: 0, end: 60 }], sound: { ...film.sound!, loudness: film.sound!.loudness.map((_, index) => level(0.02 * index)) },
});
const segments = [{ start: 41, end: 46 }, { start: 13, end: 18 }];

describe('two segments of one long shot', () => {
  const find = ({ sound, frames }: typeof film, of: typeof segments) => new SharedParts(sound).find(frames, of);
  const sharedOf = (...input: Parameters<typeof find>) => find(...input).shared;

  it('share the part that looks and sounds the same', () => {
    const [part, ...others] = sharedOf(withSound(voice), segments);
    expect(others).toEqual([]);
    expect(part!.lag).toBeCloseTo(30, 6);
    expect(part!.start).toBeLessThanOrEqual(43);
    expect(part!.end).toBeGreaterThanOrEqual(46);
  });

  it('share a pause of the voice if the words beside the pause agree', () => {
    const hiss = (time: number): number => (Math.sin(12.9898 * Math.round(50 * time)) * 43_758.5453) % 1;
    const pause = (time: number): number => (again(time) > 14 && again(time) < 16 ? -40 + hiss(again(time)) + 0.6 * hiss(1.7 * time) : voice(time));
    const [part] = sharedOf(withSound(pause), [{ start: 12, end: 15.5 }, { start: 44.5, end: 47 }]);
    expect(part!.lag).toBeCloseTo(30, 1);
    const alone = (time: number): number => (again(time) > 14 && again(time) < 16 ? pause(time) : Math.sin(0.3 * time ** 2) > 0 ? -22 : -50);
    expect(sharedOf(withSound(alone), [{ start: 12, end: 15.5 }, { start: 44.5, end: 47 }])).toEqual([]);
  });

  it('share nothing that was found before', () => {
    const { sound, frames } = withSound(voice);
    const parts = new SharedParts(sound);
    expect(parts.find(frames, segments).shared).toEqual(parts.known);
    expect(parts.known).toHaveLength(1);
    expect(parts.find(frames, segments)).toEqual({ shared: [], unseen: [] });
  });

  it('ask for frames in the middle of what sounds the same, if too few are known', () => {
    const known = withSound(voice);
    const { frames } = known;
    const isKept = (_value: number, index: number): boolean => index % 50 === 0;
    const sparse = { ...known, frames: { ...frames, times: frames.times.filter(isKept), brightness: frames.brightness.filter(isKept), contrast: frames.contrast.filter(isKept) } };
    const { shared, unseen } = find(sparse, segments);
    expect(shared).toEqual([]);
    expect(unseen.map(({ from, to }) => [(from + to) / 2, to - from].map((value) => Math.round(10 * value) / 10))).toEqual([[44.5, 1.5], [14.5, 1.5]]);
  });

  it('share nothing if one person says other words in front of the same wall, if both are silent, or if the pictures differ', () => {
    const wall = withSound((time) => (Math.sin(time ** 2) > 0 ? -22 : -50));
    expect(sharedOf(wall, segments)).toEqual([]);
    expect(sharedOf(withSound(() => -90), segments)).toEqual([]);
    const darker = withSound(voice);
    const { frames } = darker;
    const brightness = frames.brightness.map((value, index) => (frames.times[index]! >= 40 ? value - 10 : value));
    expect(find({ ...darker, frames: { ...frames, brightness } }, segments)).toEqual({ shared: [], unseen: [] });
  });

  it('are divided where they repeat', () => {
    const analysis = { ...withSound(voice), tier: 'fast' as const };
    const coarse = { shots: analysis.shots, repeats: new Float64Array(1) };
    const { repeats, repeatShots } = buildTimeline({ ...analysis, denseFrames: { ...analysis.frames }, coarse, shared: [{ start: 40, end: 50, lag: 30 }] });
    expect(repeatShots).toEqual([{ start: 0, end: 10 }, { start: 10, end: 20 }, { start: 20, end: 40 }, { start: 40, end: 50 }, { start: 50, end: 60 }]);
    expect([...repeats]).toEqual([0, 0, 0, 30, 0]);
  });
});
