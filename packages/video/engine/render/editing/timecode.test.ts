import { describe, expect, it } from 'vitest';
import { frameName, frameNumber, timecodeOf } from './timecode.ts';

const rate = (numerator: number, denominator = 1): { numerator: number; denominator: number } => ({ numerator, denominator });
const dropped30 = timecodeOf(rate(30_000, 1001), true);
const dropped60 = timecodeOf(rate(60_000, 1001), true);

describe('timecode', () => {
  it.each([
    [timecodeOf(rate(25), false), 90_262, '01:00:10:12'],
    [timecodeOf(rate(24_000, 1001), false), 86_400, '01:00:00:00'],
    [timecodeOf(rate(30_000, 1001), false), 1800, '00:01:00:00'],
    [dropped30, 1799, '00:00:59;29'],
    [dropped30, 1800, '00:01:00;02'],
    [dropped30, 17_981, '00:09:59;29'],
    [dropped30, 17_982, '00:10:00;00'],
    [dropped30, 107_892, '01:00:00;00'],
    [dropped60, 3600, '00:01:00;04'],
    [dropped60, 35_964, '00:10:00;00'],
  ])('%j: frame %d is %s', (timecode, frame, name) => {
    expect(frameName(frame, timecode)).toBe(name);
    expect(frameNumber(name, timecode)).toBe(frame);
  });

  it('names each frame of two hours of drop-frame timecode once, and finds it again', () => {
    const names = Array.from({ length: 215_784 }, (_, frame) => frameName(frame, dropped30));
    expect(new Set(names).size).toBe(names.length);
    expect(names.findIndex((name, frame) => frameNumber(name, dropped30) !== frame)).toBe(-1);
  });

  it('has no frame for a name that is skipped or too large, and drops frames at 29.97 and 59.94 frames per second alone', () => {
    expect(['00:01:00;00', '00:01:00;01', '00:00:00;30', '00:60:00;00', '24:00:00;00'].map((name) => frameNumber(name, dropped30))).toEqual([null, null, null, null, null]);
    expect([rate(25), rate(30), rate(24_000, 1001)].map((other) => timecodeOf(other, true).dropFrame)).toEqual([false, false, false]);
  });
});
