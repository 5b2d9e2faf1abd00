import { describe, expect, it } from 'vitest';
import { seededRandom } from '@vouch/platform/process/seededRandom';
import type { GreyPicture } from './greyPicture.ts';
import { findShapes, type Shape } from './letterShapes.ts';

const [width, height] = [90, 70];
const around = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => y * width + x));

/** The shape of a pixel, found from neighbour to neighbour. Removes its pixels from `rest`. */
function shapeAt(start: number, { luma }: GreyPicture, marks: Uint8Array, rest: Set<number>, sign: 1 | -1): Shape {
  const shape = { left: width, top: height, right: 0, bottom: 0, pixels: 0, edges: 0, luma: 0, steps: 0, steep: 0 };
  const queue = [start];
  rest.delete(start);
  for (const at of queue) {
    const [x, y] = [at % width, Math.floor(at / width)];
    [shape.left, shape.right] = [Math.min(shape.left, x), Math.max(shape.right, x)];
    [shape.top, shape.bottom] = [Math.min(shape.top, y), Math.max(shape.bottom, y)];
    shape.pixels++;
    shape.luma += luma[at]!;
    for (const side of [-1, 1, -width, width]) {
      if (marks[at + side] !== 0) continue;
      const step = sign * (luma[at - side]! - luma[at + 2 * side]!);
      shape.edges++;
      shape.steps += step;
      if (step >= 30) shape.steep++;
    }
    for (const near of around) if (rest.delete(at + near)) queue.push(at + near);
  }
  return shape;
}

describe('shapes of marked pixels', () => {
  it.each([[0.3, 1], [0.4, 1], [0.4, -1]] as const)('are those of a search from neighbour to neighbour, without those at the border (share of marks %d, sign %d)', (share, sign) => {
    const random = seededRandom(share * 100 + sign);
    const luma = Uint8Array.from({ length: width * height }, () => random.below(256));
    const marks = luma.map((_, at) => {
      const edge = Math.min(at % width, width - 1 - (at % width), Math.floor(at / width), height - 1 - Math.floor(at / width));
      return edge >= 2 && random.uniform() < share ? 1 : 0;
    });
    const rest = new Set([...marks.keys()].filter((at) => marks[at] === 1));
    const expected: Shape[] = [];
    for (const at of rest) expected.push(shapeAt(at, { width, height, luma }, marks, rest, sign));
    const found = findShapes({ width, height, luma }, marks, { bit: 1, sign, rowsLeast: 3 });
    expect(found).toEqual(expected.filter(({ left, top, right, bottom }) => bottom - top >= 2 && left > 2 && top > 2 && right < width - 3 && bottom < height - 3));
    expect(found.length).toBeGreaterThan(0);
  });
});
