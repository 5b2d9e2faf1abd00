import { describe, expect, it } from 'vitest';
import { fitSize } from './fitSize.ts';

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
