/** The luma of a picture, 0–255, row after row. */
export interface GreyPicture {
  width: number;
  height: number;
  luma: Uint8Array;
}

/** Reduces a packed RGB picture to luma (BT.601) with at most `rowsMost` rows, by area averaging. */
export function greyOf({ rgb, width, height }: { rgb: Uint8Array; width: number; height: number }, rowsMost: number): GreyPicture {
  const rows = Math.min(rowsMost, height);
  const columns = Math.max(1, Math.round((width * rows) / height));
  const sums = new Float64Array(columns * rows);
  const counts = new Uint32Array(columns * rows);
  const columnOf = Uint32Array.from({ length: width }, (_, x) => Math.min(columns - 1, Math.floor((x * columns) / width)));
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * rows) / height) * columns;
    for (let x = 0; x < width; x++, at += 3) {
      const to = row + columnOf[x]!;
      sums[to] = sums[to]! + 0.299 * rgb[at]! + 0.587 * rgb[at + 1]! + 0.114 * rgb[at + 2]!;
      counts[to] = counts[to]! + 1;
    }
  }
  return { width: columns, height: rows, luma: Uint8Array.from(sums, (sum, at) => Math.round(sum / counts[at]!)) };
}

/**
 * Marks the pixels that differ by more than `least` from the mean of the square of `2 * radius + 1` pixels around them.
 * @returns the masks of the brighter and of the darker pixels
 */
export function markContrast({ width, height, luma }: GreyPicture, radius: number, least: number): { bright: Uint8Array; dark: Uint8Array } {
  const sums = sumRectangles({ width, height, luma });
  const stride = width + 1;
  const bright = new Uint8Array(width * height);
  const dark = new Uint8Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    const top = Math.max(0, y - radius) * stride;
    const bottom = Math.min(height, y + radius + 1) * stride;
    for (let x = 0; x < width; x++, at++) {
      const left = Math.max(0, x - radius);
      const right = Math.min(width, x + radius + 1);
      const mean = (sums[bottom + right]! - sums[top + right]! - sums[bottom + left]! + sums[top + left]!) / (((bottom - top) / stride) * (right - left));
      if (luma[at]! > mean + least) bright[at] = 1;
      else if (luma[at]! < mean - least) dark[at] = 1;
    }
  }
  return { bright, dark };
}

/** Sums of luma over the rectangles from the top left corner, one row and one column larger than the picture. */
function sumRectangles({ width, height, luma }: GreyPicture): Uint32Array {
  const stride = width + 1;
  const sums = new Uint32Array(stride * (height + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0, row = 0; x < width; x++) {
      row += luma[y * width + x]!;
      sums[(y + 1) * stride + x + 1] = sums[y * stride + x + 1]! + row;
    }
  }
  return sums;
}
