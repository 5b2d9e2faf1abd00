/** The luma of a picture, 0–255, row after row. */
export interface GreyPicture {
  width: number;
  height: number;
  luma: Uint8Array;
}

/** Weights of red, green and blue in the luma (BT.601), in thousandths. */
const [redWeight, greenWeight, blueWeight] = [299, 587, 114];

/**
 * Reduces a packed RGB picture to luma (BT.601) with at most `rowsMost` rows, by area averaging. Each row is a call of a small function,
 * which V8 compiles after a few rows. With one loop over all pixels, the first three pictures of a process took 197 instead of 110 ms.
 */
export function greyOf({ rgb, width, height }: { rgb: Uint8Array; width: number; height: number }, rowsMost: number): GreyPicture {
  const rows = Math.min(rowsMost, height);
  const columns = Math.max(1, Math.round((width * rows) / height));
  const columnOf = Uint16Array.from({ length: width }, (_, x) => Math.min(columns - 1, Math.floor((x * columns) / width)));
  const across = new Uint16Array(columns);
  for (const column of columnOf) across[column]!++;
  const sums = new Uint32Array(columns);
  const luma = new Uint8Array(columns * rows);
  for (let row = 0, y = 0; row < rows; row++) {
    const first = y;
    for (; y < height && Math.floor((y * rows) / height) === row; y++) addLuma(sums, columnOf, rgb.subarray(y * width * 3));
    takeMeans(luma.subarray(row * columns), sums, across, y - first);
  }
  return { width: columns, height: rows, luma };
}

/** Adds the luma of the pixels of a row, in thousandths, to the sums of their columns. */
function addLuma(sums: Uint32Array, columnOf: Uint16Array, rgb: Uint8Array): void {
  for (let x = 0, at = 0; x < columnOf.length; x++, at += 3) {
    const column = columnOf[x]!;
    sums[column] = sums[column]! + redWeight * rgb[at]! + greenWeight * rgb[at + 1]! + blueWeight * rgb[at + 2]!;
  }
}

/** Writes the rounded means of a row, and clears the sums. */
function takeMeans(luma: Uint8Array, sums: Uint32Array, across: Uint16Array, down: number): void {
  for (let column = 0; column < sums.length; column++) {
    luma[column] = sums[column]! / (1000 * down * across[column]!) + 0.5;
    sums[column] = 0;
  }
}

/** Bits of the marks of a pixel. */
export const mark = { bright: 1, dark: 2, white: 4 } as const;

interface Contrast {
  /** A pixel is compared with the mean of the square of `2 * radius + 1` pixels around it. */
  radius: number;
  /** Difference above which a pixel is bright or dark. */
  least: number;
  /** Luma from which a pixel is white. */
  white: number;
}

/** Finds the pixels that are brighter or darker than their surroundings, and the white pixels: the bits of `mark` of each pixel. */
export function markContrast({ width, height, luma }: GreyPicture, contrast: Contrast): Uint8Array {
  const { radius } = contrast;
  const marks = new Uint8Array(width * height);
  const across = Uint16Array.from({ length: width }, (_, x) => Math.min(width, x + radius + 1) - Math.max(0, x - radius));
  // Sums of each column over the rows around the present row, with zeros beside the picture.
  const sums = new Int32Array(width + 2 * radius + 1);
  const columns = sums.subarray(radius + 1, radius + 1 + width);
  for (let y = -radius; y < height; y++) {
    if (y + radius < height) addRow(columns, luma.subarray((y + radius) * width));
    if (y > radius) takeRow(columns, luma.subarray((y - radius - 1) * width));
    if (y < 0) continue;
    const down = Math.min(height, y + radius + 1) - Math.max(0, y - radius);
    markRow(marks.subarray(y * width), luma.subarray(y * width), { sums, across, down }, contrast);
  }
  return marks;
}

function addRow(sums: Int32Array, luma: Uint8Array): void {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! + luma[x]!;
}

function takeRow(sums: Int32Array, luma: Uint8Array): void {
  for (let x = 0; x < sums.length; x++) sums[x] = sums[x]! - luma[x]!;
}

function markRow(marks: Uint8Array, luma: Uint8Array, { sums, across, down }: { sums: Int32Array; across: Uint16Array; down: number }, { radius, least, white }: Contrast): void {
  let sum = 0;
  for (let x = 0; x < 2 * radius + 1; x++) sum += sums[x]!;
  for (let x = 0; x < across.length; x++) {
    sum += sums[x + 2 * radius + 1]! - sums[x]!;
    const value = luma[x]!;
    // Products of whole numbers: a division per pixel would take as long as the rest.
    const pixels = down * across[x]!;
    marks[x] = ((value - least) * pixels > sum ? mark.bright : (value + least) * pixels < sum ? mark.dark : 0) | (value >= white ? mark.white : 0);
  }
}
