import { describe, expect, it } from 'vitest';
import { chooseRate, fitSize } from './previewShape.ts';

describe('the size of a preview', () => {
  it('keeps the aspect, is even, and never larger than 1280 unless asked', () => {
    expect(fitSize({ width: 1920, height: 1080 }, {})).toEqual({ width: 1280, height: 720 });
    expect(fitSize({ width: 1080, height: 1920 }, {})).toEqual({ width: 720, height: 1280 });
    expect(fitSize({ width: 641, height: 359 }, {})).toEqual({ width: 642, height: 360 });
    expect(fitSize({ width: 1920, height: 1080 }, { width: 640 })).toEqual({ width: 640, height: 360 });
    expect(fitSize({ width: 1920, height: 1080 }, { height: 1440 })).toEqual({ width: 2560, height: 1440 });
    expect(fitSize({ width: 1920, height: 1080 }, { width: 500, height: 500 })).toEqual({ width: 500, height: 282 });
    expect(fitSize({ width: 4000, height: 20 }, {})).toEqual({ width: 1280, height: 16 });
  });
});

describe('the rate of a preview', () => {
  const rate = (numerator: number, denominator: number, variableFrameRate = false, requested?: number): string => {
    const chosen = chooseRate({ frameRate: { numerator, denominator }, variableFrameRate }, requested);
    return `${chosen.numerator}/${chosen.denominator}`;
  };

  it('is that of a constant source, as a whole share of it above 60 and a whole multiple below 10', () => {
    expect(rate(30_000, 1001)).toBe('30000/1001');
    expect(rate(60, 1)).toBe('60/1');
    expect(rate(60_000, 1001)).toBe('60000/1001');
    expect(rate(120, 1)).toBe('60/1');
    expect(rate(144, 1)).toBe('48/1');
    expect(rate(2, 1)).toBe('10/1');
    expect(rate(90_000, 1)).toBe('60/1');
  });

  it('is a common one for a variable source and for nonsense', () => {
    expect(rate(23_412, 1000, true)).toBe('24/1');
    expect(rate(30_100, 1000, true)).toBe('30/1');
    expect(rate(100, 1, true)).toBe('60/1');
    expect(rate(0, 0)).toBe('25/1');
  });

  it('is what was asked for', () => {
    expect(rate(25, 1, false, 29.97)).toBe('30000/1001');
    expect(rate(25, 1, false, 12.5)).toBe('25/2');
  });
});
