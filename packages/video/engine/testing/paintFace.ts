/** Parts of a drawn face: middle and radii in hundredths of its height, and colour. Later parts cover earlier ones. */
const parts: readonly (readonly [x: number, y: number, across: number, down: number, colour: readonly [number, number, number]])[] = [
  [0, 55, 14, 20, [190, 140, 110]], [0, -10, 40, 48, [50, 35, 25]], [0, 2, 32, 42, [220, 170, 140]], [0, -30, 30, 14, [50, 35, 25]],
  [-13, -4, 7, 4, [245, 245, 245]], [13, -4, 7, 4, [245, 245, 245]], [-13, -4, 3, 3, [30, 20, 20]], [13, -4, 3, 3, [30, 20, 20]],
  [-13, -13, 8, 2, [60, 40, 30]], [13, -13, 8, 2, [60, 40, 30]], [0, 10, 5, 8, [195, 140, 110]], [0, 26, 11, 4, [170, 70, 70]], [0, 25, 9, 1, [110, 40, 40]],
];

/** Draws a face with hair, eyes, nose and mouth into a packed RGB picture. `x` and `y` are its middle and `height` its height, in pixels. */
export function paintFace({ width, height, rgb }: { width: number; height: number; rgb: Uint8Array }, face: { x: number; y: number; height: number }): void {
  const unit = face.height / 100;
  for (const [x, y, across, down, colour] of parts) {
    const [left, top] = [face.x + x * unit, face.y + y * unit];
    for (let row = Math.max(0, Math.floor(top - down * unit)); row <= Math.min(height - 1, top + down * unit); row++) {
      for (let column = Math.max(0, Math.floor(left - across * unit)); column <= Math.min(width - 1, left + across * unit); column++) {
        const inside = ((column - left) / (across * unit)) ** 2 + ((row - top) / (down * unit)) ** 2 <= 1;
        if (inside) rgb.set(colour, (row * width + column) * 3);
      }
    }
  }
}
