// AssemblyScript. The update of a symmetric matrix that is inverted block by block (ridge/invertSymmetric.ts). panels.ts says
// what a panel is. All addresses are bytes.
import { rowBytes, width } from './panelSize';

/**
 * `c -= a w` for some rows of one panel.
 * @param c first row of the panel that changes
 * @param a first row of the first of `panels` panels; the other panels follow at distances of `distance` bytes
 * @param rows number of rows, a multiple of 4
 * @param w (32 * panels) × 32 floats, row-major
 */
export function subtractProduct(c: usize, a: usize, panels: usize, distance: usize, rows: usize, w: usize): void {
  for (let row: usize = 0; row < rows; row += 4) {
    const at = row * rowBytes;
    for (let j: usize = 0; j < rowBytes; j += 32) subtractTile(c + at + j, a + at, panels, distance, w + j);
  }
}

function subtractTile(c: usize, a: usize, panels: usize, distance: usize, w: usize): void {
  let a0 = v128.load(c, 0);
  let a1 = v128.load(c, 16);
  let b0 = v128.load(c, 128);
  let b1 = v128.load(c, 144);
  let c0 = v128.load(c, 256);
  let c1 = v128.load(c, 272);
  let d0 = v128.load(c, 384);
  let d1 = v128.load(c, 400);
  for (let panel: usize = 0; panel < panels; panel++) {
    const left = a + panel * distance;
    for (let k: usize = 0; k < width; k++) {
      const x = v128.load(w, 0);
      const y = v128.load(w, 16);
      w += rowBytes;
      const at = left + 4 * k;
      const p = v128.load_splat<f32>(at, 0);
      a0 = f32x4.sub(a0, f32x4.mul(p, x));
      a1 = f32x4.sub(a1, f32x4.mul(p, y));
      const q = v128.load_splat<f32>(at, 128);
      b0 = f32x4.sub(b0, f32x4.mul(q, x));
      b1 = f32x4.sub(b1, f32x4.mul(q, y));
      const r = v128.load_splat<f32>(at, 256);
      c0 = f32x4.sub(c0, f32x4.mul(r, x));
      c1 = f32x4.sub(c1, f32x4.mul(r, y));
      const s = v128.load_splat<f32>(at, 384);
      d0 = f32x4.sub(d0, f32x4.mul(s, x));
      d1 = f32x4.sub(d1, f32x4.mul(s, y));
    }
  }
  v128.store(c, a0, 0);
  v128.store(c, a1, 16);
  v128.store(c, b0, 128);
  v128.store(c, b1, 144);
  v128.store(c, c0, 256);
  v128.store(c, c1, 272);
  v128.store(c, d0, 384);
  v128.store(c, d1, 400);
}
