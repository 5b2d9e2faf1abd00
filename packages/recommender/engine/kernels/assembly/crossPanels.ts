// AssemblyScript. Products of two panels with each other (panels.ts says what a panel is). All addresses are bytes.
import { rowBytes, width } from './panelSize';

/** Rows whose products are summed in single precision before they are added to the double sums. */
const chunkRows: usize = 64;

/** `out = a^T b` of two panels, 32 × 32 doubles. */
export function crossPanels(a: usize, b: usize, rows: usize, out: usize): void {
  memory.fill(out, 0, 8 * width * width);
  for (let first: usize = 0; first < rows; first += chunkRows) {
    const last = min(first + chunkRows, rows);
    for (let i: usize = 0; i < width; i += 4) {
      for (let j: usize = 0; j < width; j += 8) {
        crossTile(a + 4 * i, b + 4 * j, first * rowBytes, last * rowBytes, out + 8 * (i * width + j));
      }
    }
  }
}

function crossTile(a: usize, b: usize, from: usize, to: usize, out: usize): void {
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  let c0 = a0;
  let c1 = a0;
  let d0 = a0;
  let d1 = a0;
  for (let at = from; at < to; at += rowBytes) {
    const left = a + at;
    const x = v128.load(b + at, 0);
    const y = v128.load(b + at, 16);
    const p = v128.load_splat<f32>(left, 0);
    a0 = f32x4.add(a0, f32x4.mul(p, x));
    a1 = f32x4.add(a1, f32x4.mul(p, y));
    const q = v128.load_splat<f32>(left, 4);
    b0 = f32x4.add(b0, f32x4.mul(q, x));
    b1 = f32x4.add(b1, f32x4.mul(q, y));
    const r = v128.load_splat<f32>(left, 8);
    c0 = f32x4.add(c0, f32x4.mul(r, x));
    c1 = f32x4.add(c1, f32x4.mul(r, y));
    const s = v128.load_splat<f32>(left, 12);
    d0 = f32x4.add(d0, f32x4.mul(s, x));
    d1 = f32x4.add(d1, f32x4.mul(s, y));
  }
  addDoubles(out, a0, a1);
  addDoubles(out + 8 * width, b0, b1);
  addDoubles(out + 16 * width, c0, c1);
  addDoubles(out + 24 * width, d0, d1);
}

function addDoubles(out: usize, low: v128, high: v128): void {
  v128.store(out, f64x2.add(v128.load(out, 0), f64x2.promote_low_f32x4(low)), 0);
  v128.store(out, f64x2.add(v128.load(out, 16), f64x2.promote_low_f32x4(v128.shuffle<i64>(low, low, 1, 1))), 16);
  v128.store(out, f64x2.add(v128.load(out, 32), f64x2.promote_low_f32x4(high)), 32);
  v128.store(out, f64x2.add(v128.load(out, 48), f64x2.promote_low_f32x4(v128.shuffle<i64>(high, high, 1, 1))), 48);
}

/** The same as `crossPanels` with products and sums in double precision throughout. */
export function crossPanelsDouble(a: usize, b: usize, rows: usize, out: usize): void {
  memory.fill(out, 0, 8 * width * width);
  const end = rows * rowBytes;
  for (let i: usize = 0; i < width; i += 2) {
    for (let j: usize = 0; j < width; j += 8) {
      let a0 = f64x2.splat(0);
      let a1 = a0;
      let a2 = a0;
      let a3 = a0;
      let b0 = a0;
      let b1 = a0;
      let b2 = a0;
      let b3 = a0;
      for (let at: usize = 0; at < end; at += rowBytes) {
        const p = f64x2.splat(<f64>load<f32>(a + at + 4 * i));
        const q = f64x2.splat(<f64>load<f32>(a + at + 4 * i, 4));
        const low = v128.load(b + at + 4 * j, 0);
        const high = v128.load(b + at + 4 * j, 16);
        const x0 = f64x2.promote_low_f32x4(low);
        const x1 = f64x2.promote_low_f32x4(v128.shuffle<i64>(low, low, 1, 1));
        const x2 = f64x2.promote_low_f32x4(high);
        const x3 = f64x2.promote_low_f32x4(v128.shuffle<i64>(high, high, 1, 1));
        a0 = f64x2.add(a0, f64x2.mul(p, x0));
        a1 = f64x2.add(a1, f64x2.mul(p, x1));
        a2 = f64x2.add(a2, f64x2.mul(p, x2));
        a3 = f64x2.add(a3, f64x2.mul(p, x3));
        b0 = f64x2.add(b0, f64x2.mul(q, x0));
        b1 = f64x2.add(b1, f64x2.mul(q, x1));
        b2 = f64x2.add(b2, f64x2.mul(q, x2));
        b3 = f64x2.add(b3, f64x2.mul(q, x3));
      }
      const place = out + 8 * (i * width + j);
      v128.store(place, a0, 0);
      v128.store(place, a1, 16);
      v128.store(place, a2, 32);
      v128.store(place, a3, 48);
      v128.store(place + 8 * width, b0, 0);
      v128.store(place + 8 * width, b1, 16);
      v128.store(place + 8 * width, b2, 32);
      v128.store(place + 8 * width, b3, 48);
    }
  }
}
