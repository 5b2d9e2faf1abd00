/** Red, green and blue, 0–255. */
export type Colour = readonly [number, number, number];

/** A picture that scenes paint on: yuv420p, limited range, with the planes Y, U, V one after another. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;

  /**
   * @param width width in pixels, even
   * @param height height in pixels, even
   */
  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.data = new Uint8Array((width * height * 3) / 2);
  }

  /**
   * Copies a window of another canvas, starting at column `left`. Columns outside the other canvas repeat its content
   * periodically.
   */
  copy(from: Canvas, left: number): void {
    const offset = 2 * Math.round(left / 2);
    copyPlane(from.data, from.width, offset, this.data, this.width, this.height, 0, 0);
    const [half, high] = [this.width / 2, this.height / 2];
    const [fromSize, size] = [from.width * from.height, this.width * this.height];
    for (const plane of [0, 1]) {
      copyPlane(from.data, from.width / 2, offset / 2, this.data, half, high, fromSize + (plane * fromSize) / 4, size + (plane * size) / 4);
    }
  }

  cover(colour: Colour): void {
    this.rectangle(0, 0, this.width, this.height, colour);
  }

  rectangle(left: number, top: number, width: number, height: number, colour: Colour): void {
    this.rows(top, height, () => [left, left + width], colour);
  }

  ellipse(x: number, y: number, radiusX: number, radiusY: number, colour: Colour): void {
    this.rows(y - radiusY, 2 * radiusY, (row) => {
      const share = (row + 0.5 - y) / radiusY;
      const half = radiusX * Math.sqrt(Math.max(0, 1 - share * share));
      return [x - half, x + half];
    }, colour);
  }

  /** Fills rows with a vertical gradient from `above` to `below`. */
  gradient(top: number, height: number, above: Colour, below: Colour): void {
    for (let row = 0; row < height; row += 1) {
      const share = row / Math.max(1, height - 1);
      this.rectangle(0, top + row, this.width, 1, above.map((value, index) => value + (below[index]! - value) * share) as unknown as Colour);
    }
  }

  /** Fills each row between a left and a right edge, which `edges` returns for the row. */
  rows(top: number, height: number, edges: (row: number) => readonly [number, number], colour: Colour): void {
    const { width, data } = this;
    const [luma, u, v] = toYuv(colour);
    const size = width * this.height;
    const last = Math.min(this.height, Math.round(top + height));
    for (let row = Math.max(0, Math.round(top)); row < last; row += 1) {
      const [left, right] = edges(row);
      const from = Math.max(0, Math.round(left));
      const to = Math.min(width, Math.round(right));
      if (to <= from) continue;
      data.fill(luma, row * width + from, row * width + to);
      if (row % 2 === 1) continue;
      const chroma = size + (row >> 1) * (width >> 1);
      data.fill(u, chroma + (from >> 1), chroma + ((to + 1) >> 1));
      data.fill(v, chroma + size / 4 + (from >> 1), chroma + size / 4 + ((to + 1) >> 1));
    }
  }
}

function copyPlane(
  from: Uint8Array, fromWidth: number, left: number, to: Uint8Array, width: number, height: number, fromAt: number, toAt: number,
): void {
  const start = ((left % fromWidth) + fromWidth) % fromWidth;
  const first = Math.min(width, fromWidth - start);
  for (let row = 0; row < height; row += 1) {
    const line = fromAt + row * fromWidth;
    to.set(from.subarray(line + start, line + start + first), toAt + row * width);
    if (first < width) to.set(from.subarray(line, line + width - first), toAt + row * width + first);
  }
}

/** Converts RGB to YUV according to ITU-R BT.601, limited range. */
function toYuv([red, green, blue]: Colour): [number, number, number] {
  return [
    16 + 0.257 * red + 0.504 * green + 0.098 * blue,
    128 - 0.148 * red - 0.291 * green + 0.439 * blue,
    128 + 0.439 * red - 0.368 * green - 0.071 * blue,
  ];
}
