// AssemblyScript. Products of a tall block of vectors that is kept in panels of 32 columns: a panel is rows × 32 floats,
// row-major, so that a row of a panel is two cache lines and stays in eight registers. All addresses are bytes.

import { rowBytes, width } from './panelSize';

/**
 * `out += X^T (X v)` for one panel: `X = W^1/2 R` for a binary R in rows. The columns of R have no weights here; the
 * caller scales the rows of `v` before and those of `out` afterwards.
 * @param pointer doubles, users + 1
 * @param index 32-bit integers
 * @param userWeight floats, the diagonal of W
 */
export function multiplyPanel(
  pointer: usize, index: usize, firstUser: usize, lastUser: usize, userWeight: usize, v: usize, out: usize,
): void {
  for (let user = firstUser; user < lastUser; user++) {
    const start = index + 4 * <usize>load<f64>(pointer + 8 * user);
    const end = index + 4 * <usize>load<f64>(pointer + 8 * user + 8);
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let s4 = s0;
    let s5 = s0;
    let s6 = s0;
    let s7 = s0;
    for (let entry = start; entry < end; entry += 4) {
      const row = v + <usize>load<u32>(entry) * rowBytes;
      s0 = f32x4.add(s0, v128.load(row, 0));
      s1 = f32x4.add(s1, v128.load(row, 16));
      s2 = f32x4.add(s2, v128.load(row, 32));
      s3 = f32x4.add(s3, v128.load(row, 48));
      s4 = f32x4.add(s4, v128.load(row, 64));
      s5 = f32x4.add(s5, v128.load(row, 80));
      s6 = f32x4.add(s6, v128.load(row, 96));
      s7 = f32x4.add(s7, v128.load(row, 112));
    }
    const weight = v128.load_splat<f32>(userWeight + 4 * user);
    s0 = f32x4.mul(s0, weight);
    s1 = f32x4.mul(s1, weight);
    s2 = f32x4.mul(s2, weight);
    s3 = f32x4.mul(s3, weight);
    s4 = f32x4.mul(s4, weight);
    s5 = f32x4.mul(s5, weight);
    s6 = f32x4.mul(s6, weight);
    s7 = f32x4.mul(s7, weight);
    for (let entry = start; entry < end; entry += 4) {
      const row = out + <usize>load<u32>(entry) * rowBytes;
      v128.store(row, f32x4.add(v128.load(row, 0), s0), 0);
      v128.store(row, f32x4.add(v128.load(row, 16), s1), 16);
      v128.store(row, f32x4.add(v128.load(row, 32), s2), 32);
      v128.store(row, f32x4.add(v128.load(row, 48), s3), 48);
      v128.store(row, f32x4.add(v128.load(row, 64), s4), 64);
      v128.store(row, f32x4.add(v128.load(row, 80), s5), 80);
      v128.store(row, f32x4.add(v128.load(row, 96), s6), 96);
      v128.store(row, f32x4.add(v128.load(row, 112), s7), 112);
    }
  }
}

/** `out = diag(weight) panel`; `out` may be the panel. */
export function scalePanel(panel: usize, weight: usize, rows: usize, out: usize): void {
  for (let row: usize = 0; row < rows; row++) {
    const factor = v128.load_splat<f32>(weight + 4 * row);
    const at = row * rowBytes;
    for (let k: usize = 0; k < rowBytes; k += 16) {
      v128.store(out + at + k, f32x4.mul(v128.load(panel + at + k), factor));
    }
  }
}

/** Rows that `transformRows` takes at once; its scratch holds 32 rows of all panels twice. */
const rowsAtOnce: usize = 32;

/**
 * `V S` for some rows of a block of panels.
 * @param block its first panel; the others follow at distances of `rows * 128` bytes
 * @param small S in panels of its own: `outPanels` times (32 * panels) × 32 floats
 * @param upper 1 where S is upper triangular, whose zeros are left out
 * @param out the same block (in place), or rows of `outColumns` floats
 * @param outColumns 0 for in place
 * @param scratch `32 * 128 * (panels + outPanels)` bytes
 */
export function transformRows(
  block: usize, rows: usize, panels: usize, first: usize, last: usize, small: usize, outPanels: usize, upper: usize,
  out: usize, outColumns: usize, scratch: usize,
): void {
  const panelBytes = rows * rowBytes;
  const copyBytes = rowsAtOnce * rowBytes;
  const sums = scratch + panels * copyBytes;
  for (let row = first; row < last; row += rowsAtOnce) {
    const count = min(rowsAtOnce, last - row);
    for (let panel: usize = 0; panel < panels; panel++) {
      memory.copy(scratch + panel * copyBytes, block + panel * panelBytes + row * rowBytes, count * rowBytes);
    }
    for (let q: usize = 0; q < outPanels; q++) {
      const used = upper != 0 ? q + 1 : panels;
      const target = sums + q * copyBytes;
      for (let r: usize = 0; r < rowsAtOnce; r += 4) {
        for (let j: usize = 0; j < rowBytes; j += 32) {
          transformTile(scratch + r * rowBytes, used, small + q * panels * width * rowBytes + j, target + r * rowBytes + j);
        }
      }
    }
    if (outColumns == 0) {
      for (let q: usize = 0; q < outPanels; q++) {
        memory.copy(block + q * panelBytes + row * rowBytes, sums + q * copyBytes, count * rowBytes);
      }
    } else {
      for (let r: usize = 0; r < count; r++) {
        const target = out + 4 * outColumns * (row + r);
        for (let q: usize = 0; q < outPanels; q++) {
          const bytes = min(rowBytes, 4 * outColumns - q * rowBytes);
          memory.copy(target + q * rowBytes, sums + q * copyBytes + r * rowBytes, bytes);
        }
      }
    }
  }
}

function transformTile(rows: usize, panels: usize, small: usize, out: usize): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  let c0 = a0;
  let c1 = a0;
  let d0 = a0;
  let d1 = a0;
  for (let panel: usize = 0; panel < panels; panel++) {
    const left = rows + panel * rowsAtOnce * rowBytes;
    for (let k: usize = 0; k < width; k++) {
      const x = v128.load(small, 0);
      const y = v128.load(small, 16);
      small += rowBytes;
      const at = left + 4 * k;
      const p = v128.load_splat<f32>(at, 0);
      a0 = f32x4.add(a0, f32x4.mul(p, x));
      a1 = f32x4.add(a1, f32x4.mul(p, y));
      const q = v128.load_splat<f32>(at, 128);
      b0 = f32x4.add(b0, f32x4.mul(q, x));
      b1 = f32x4.add(b1, f32x4.mul(q, y));
      const r = v128.load_splat<f32>(at, 256);
      c0 = f32x4.add(c0, f32x4.mul(r, x));
      c1 = f32x4.add(c1, f32x4.mul(r, y));
      const s = v128.load_splat<f32>(at, 384);
      d0 = f32x4.add(d0, f32x4.mul(s, x));
      d1 = f32x4.add(d1, f32x4.mul(s, y));
    }
  }
  v128.store(out, a0, 0);
  v128.store(out, a1, 16);
  v128.store(out, b0, 128);
  v128.store(out, b1, 144);
  v128.store(out, c0, 256);
  v128.store(out, c1, 272);
  v128.store(out, d0, 384);
  v128.store(out, d1, 400);
}

/** Sets bytes to 0. */
export function zero(address: usize, bytes: usize): void {
  memory.fill(address, 0, bytes);
}

/**
 * Turns a block of panels into rows of all their columns, in place: block row (panel, row) of 128 bytes goes to place
 * `row * panels + panel`, along the cycles of that permutation.
 * @param moved one bit per block row, all 0
 */
export function joinPanels(block: usize, rows: usize, panels: usize, moved: usize): void {
  const total = rows * panels;
  for (let start: usize = 0; start < total; start++) {
    if (load<u8>(moved + (start >> 3)) & (1 << <u8>(start & 7))) continue;
    let at = start;
    const first = block + start * rowBytes;
    let v0 = v128.load(first, 0);
    let v1 = v128.load(first, 16);
    let v2 = v128.load(first, 32);
    let v3 = v128.load(first, 48);
    let v4 = v128.load(first, 64);
    let v5 = v128.load(first, 80);
    let v6 = v128.load(first, 96);
    let v7 = v128.load(first, 112);
    do {
      at = (at % rows) * panels + at / rows;
      const byte = moved + (at >> 3);
      store<u8>(byte, load<u8>(byte) | (1 << <u8>(at & 7)));
      const place = block + at * rowBytes;
      const w0 = v128.load(place, 0);
      const w1 = v128.load(place, 16);
      const w2 = v128.load(place, 32);
      const w3 = v128.load(place, 48);
      const w4 = v128.load(place, 64);
      const w5 = v128.load(place, 80);
      const w6 = v128.load(place, 96);
      const w7 = v128.load(place, 112);
      v128.store(place, v0, 0);
      v128.store(place, v1, 16);
      v128.store(place, v2, 32);
      v128.store(place, v3, 48);
      v128.store(place, v4, 64);
      v128.store(place, v5, 80);
      v128.store(place, v6, 96);
      v128.store(place, v7, 112);
      v0 = w0;
      v1 = w1;
      v2 = w2;
      v3 = w3;
      v4 = w4;
      v5 = w5;
      v6 = w6;
      v7 = w7;
    } while (at != start);
  }
}
