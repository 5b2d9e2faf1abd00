import { analysisHeight, analysisWidth, layoutLength, layoutStep } from './frameTrack.ts';
import { halfHeight, halfPixels, halfWidth, lumaPixels } from './pictureSketch.ts';

/** Collects the layouts of a FrameTrack: for each half second, the layout of the last picture that is not later. */
export class LayoutSampler {
  private layouts = new Uint8Array(256 * layoutLength);
  private count = 0;
  private last: Uint8Array | null = null;
  private lastTime = 0;

  /** Adds the next picture. `data` must stay unchanged until the next call. */
  add(time: number, data: Uint8Array): void {
    // Half seconds before the first picture show the first picture.
    const shown = this.last ?? data;
    while (this.count * layoutStep < time) this.push(shown);
    this.last = data;
    this.lastTime = time;
  }

  /** Returns all layouts up to the last half second that is not after the last picture, `layoutLength` bytes each. */
  finish(): Uint8Array {
    if (this.last !== null) while (this.count * layoutStep <= this.lastTime) this.push(this.last);
    return this.layouts.slice(0, this.count * layoutLength);
  }

  private push(data: Uint8Array): void {
    const at = this.count * layoutLength;
    if (at === this.layouts.length) {
      const larger = new Uint8Array(this.layouts.length * 2);
      larger.set(this.layouts);
      this.layouts = larger;
    }
    const afterLuma = cellMeans(data, 0, analysisWidth, analysisHeight, 8, 6, this.layouts, at);
    const afterU = cellMeans(data, lumaPixels, halfWidth, halfHeight, 4, 3, this.layouts, afterLuma);
    cellMeans(data, lumaPixels + halfPixels, halfWidth, halfHeight, 4, 3, this.layouts, afterU);
    this.count++;
  }
}

/** Writes the mean of each cell of a plane to `out`, row by row. Returns the index after the last value. */
function cellMeans(
  plane: Uint8Array, planeAt: number, width: number, height: number, columns: number, rows: number, out: Uint8Array, outAt: number,
): number {
  const cellWidth = width / columns;
  const cellHeight = height / rows;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = row * cellHeight; y < (row + 1) * cellHeight; y++) {
        const from = planeAt + y * width + column * cellWidth;
        for (let at = from; at < from + cellWidth; at++) sum += plane[at]!;
      }
      out[outAt++] = Math.round(sum / (cellWidth * cellHeight));
    }
  }
  return outAt;
}
