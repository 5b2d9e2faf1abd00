import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

// In a process of its own, because only child programs load the libraries. Pixel format 0 is yuv420p; rows of 6 pixels are padded in a frame.
const program = `
const { copyPixels } = await import(process.argv[1]);
const pixels = Buffer.from(Array.from({ length: 36 }, (_, i) => i));
const frame = copyPixels(pixels, { width: 6, height: 4, format: 0, pts: 7n });
pixels.fill(255);
console.log(JSON.stringify({ pixels: [...frame.toBuffer()], pts: String(frame.pts) }));
`;

it('a frame keeps its pixels when the buffer that they came from is used again', async () => {
  const file = new URL('./copyPixels.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', program, file]);
  expect(JSON.parse(stdout)).toEqual({ pixels: Array.from({ length: 36 }, (_, i) => i), pts: '7' });
});
