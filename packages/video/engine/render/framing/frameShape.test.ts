import { describe, expect, it } from 'vitest';
import { listShapes, shapeSuffix } from './frameShape.ts';

const wide = { width: 1920, height: 1080 };

describe('the shapes of previews', () => {
  it('have exactly the aspect ratio, even sides, and no more pixels than the part of the video that they show', () => {
    const shapes = listShapes(wide, { aspect_ratios: ['16:9', '1:1', '9:16', '4:5'] });
    expect(shapes.map(({ size, scaled, mode }) => [size.width, size.height, scaled.width, scaled.height, mode])).toEqual([
      [1280, 720, 1280, 720, 'whole'], [1080, 1080, 1920, 1080, 'crop'], [594, 1056, 1878, 1056, 'crop'], [864, 1080, 1920, 1080, 'crop'],
    ]);
    expect(shapes.map((shape) => shapeSuffix(shape))).toEqual(['-16x9', '-1x1', '-9x16', '-4x5']);
  });

  it('have the requested side', () => {
    const sizes = (width?: number, height?: number): number[][] => listShapes(wide, { aspect_ratios: ['9:16', '1:1'], ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) })
      .map(({ size }) => [size.width, size.height]);
    expect(sizes(1080)).toEqual([[1080, 1920], [1080, 1080]]);
    expect(sizes(undefined, 640)).toEqual([[360, 640], [640, 640]]);
  });

  it('are padded to the longer side of the video', () => {
    expect(listShapes(wide, { aspect_ratios: ['9:16', '1:1'], framing: 'pad' }).map(({ size, scaled, mode }) => [size.width, size.height, scaled.width, scaled.height, mode])).toEqual([
      [720, 1280, 720, 406, 'pad'], [1280, 1280, 1280, 720, 'pad'],
    ]);
  });

  it('are exactly the requested size with framing, and keep the aspect ratio of the video without', () => {
    expect(listShapes(wide, { width: 500, height: 500, framing: 'crop' })[0]).toMatchObject({ size: { width: 500, height: 500 }, scaled: { width: 888, height: 500 }, mode: 'crop', aspectRatio: null });
    expect(listShapes(wide, { width: 500, height: 500 })[0]).toMatchObject({ size: { width: 500, height: 282 }, mode: 'whole' });
    expect(shapeSuffix(listShapes(wide, { width: 500, height: 500, framing: 'pad' })[0]!)).toBe('');
  });

  it('crop tall videos above and below, and never need a larger picture than the scaled one', () => {
    const tall = listShapes({ width: 608, height: 1080 }, { aspect_ratios: ['16:9'] })[0]!;
    expect(tall).toMatchObject({ mode: 'crop', scaled: { width: tall.size.width } });
    for (const video of [{ width: 641, height: 359 }, { width: 4000, height: 20 }, { width: 30, height: 900 }, { width: 16, height: 16 }]) {
      for (const framing of ['crop', 'pad'] as const) {
        for (const { size, scaled, mode } of listShapes(video, { aspect_ratios: ['16:9', '1:1', '9:16', '239:100', '4:1'], framing })) {
          const [over, under] = [Math.max(scaled.width - size.width, scaled.height - size.height), Math.min(scaled.width - size.width, scaled.height - size.height)];
          expect([size.width % 2, size.height % 2, scaled.width % 2, scaled.height % 2]).toEqual([0, 0, 0, 0]);
          if (mode === 'crop') expect([over > 0, under]).toEqual([true, 0]);
          if (mode === 'pad') expect([over, under < 0]).toEqual([0, true]);
          if (mode === 'whole') expect(scaled).toEqual(size);
        }
      }
    }
  });
});
