import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { findAxeFaults, pictures } from './openBrowser.ts';

const schemes = ['light', 'dark'] as const;
const height = 800;
/** Scale and quality at which text is still legible and a sheet has some 80 kB. */
const scale = 0.75;
const quality = 0.7;

/**
 * Checks accessibility in light and dark, and the width of the current page of the console. If pictures are wanted, also writes `console-<name>.webp`,
 * which shows the page at 1280 and 390 pixels, above in light and below in dark.
 */
export async function checkPage(page: Page, name: string, isPictured = true): Promise<void> {
  const wanted = isPictured && pictures !== '';
  const rows: Buffer[][] = [];
  for (const scheme of schemes) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    expect(await findAxeFaults(page), `${name} ${scheme}`).toEqual([]);
    const row: Buffer[] = [];
    for (const width of wanted ? [320, 1280, 390] : [320]) {
      await page.setViewportSize({ width, height });
      expect(await page.evaluate<number>('document.documentElement.scrollWidth'), `${name} at ${width}`).toBeLessThanOrEqual(width);
      if (width !== 320) row.push(await page.screenshot());
    }
    rows.push(row);
    await page.setViewportSize({ width: 1280, height });
  }
  if (!wanted) return;
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, `console-${name}.webp`), await drawSheet(page.context().browser()!, rows));
}

/** Draws pictures in rows on one sheet, in WebP, by the canvas of the browser. */
async function drawSheet(browser: Browser, rows: readonly (readonly Buffer[])[]): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    const sources = rows.map((row) => row.map((picture) => `data:image/png;base64,${picture.toString('base64')}`));
    // As text, because Node's types have no canvas.
    const sheet = await page.evaluate<string>(`(async () => {
      const load = (source) => new Promise((loaded, failed) => Object.assign(new Image(), { onload() { loaded(this); }, onerror: failed, src: source }));
      const rows = await Promise.all(${JSON.stringify(sources)}.map((row) => Promise.all(row.map(load))));
      const [gap, scale] = [12, ${scale}];
      const canvas = document.createElement('canvas');
      canvas.width = Math.max(...rows.map((row) => row.reduce((sum, { width }) => sum + width * scale + gap, gap)));
      canvas.height = rows.reduce((sum, [first]) => sum + first.height * scale + gap, gap);
      const context = canvas.getContext('2d');
      context.imageSmoothingQuality = 'high';
      context.fillStyle = '#8a919c';
      context.fillRect(0, 0, canvas.width, canvas.height);
      let y = gap;
      for (const row of rows) {
        let x = gap;
        for (const image of row) {
          context.drawImage(image, x, y, image.width * scale, image.height * scale);
          x += image.width * scale + gap;
        }
        y += row[0].height * scale + gap;
      }
      return canvas.toDataURL('image/webp', ${quality});
    })()`);
    expect(sheet).toMatch(/^data:image\/webp;base64,/);
    return Buffer.from(sheet.slice(sheet.indexOf(',') + 1), 'base64');
  } finally {
    await page.close();
  }
}
