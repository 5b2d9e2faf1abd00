import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markup } from '../../packages/video/engine/report/markup.ts';
import { encodePng } from './encodePng.ts';
import { framesPerSecond } from './eventsScript.ts';
import type { Film } from './previewsFilm.ts';
import { pictureHeight, pictureWidth } from './previewsMaterial.ts';

/** Pictures per segment: the first, the last and evenly spaced pictures between. */
const columns = 6;
const gap = 4;

/**
 * Writes a contact sheet of a preview as PNG: one row per segment, from its first to its last picture; below, the pictures
 * that may become the poster, best first.
 */
export async function writeSheet(film: Film, segments: readonly { start: number; end: number }[], posters: readonly number[], folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const all = film.shots.flatMap(({ pictures }) => pictures);
  const at = (time: number): Uint8Array => all[Math.min(all.length - 1, Math.max(0, Math.floor(time * framesPerSecond + 0.01)))]!;
  const last = 0.5 / framesPerSecond;
  const rows = segments.map(({ start, end }) => Array.from({ length: columns }, (_, column) => at(start + ((end - start - last) * column) / (columns - 1))));
  rows.push(posters.slice(0, columns).map(at));
  const width = columns * (pictureWidth + gap);
  const height = rows.length * (pictureHeight + gap);
  const rgb = new Uint8Array(width * height * 3).fill(255);
  for (const [row, pictures] of rows.entries()) {
    for (const [column, picture] of pictures.entries()) copyPicture(picture, rgb, width, column * (pictureWidth + gap), row * (pictureHeight + gap));
  }
  const output = join(folder, `${film.name}.png`);
  await writeFile(output, encodePng(rgb, width, height));
  return output;
}

/** A sheet on the page, with what the composed film is known to show. */
export interface SheetEntry {
  name: string;
  /** File name of the sheet. */
  picture: string;
  facts: string;
  segments: readonly string[];
}

/** Writes a page with all sheets, to judge many previews at a glance. */
export async function writeSheetPage(entries: readonly SheetEntry[], folder: string): Promise<string> {
  const output = join(folder, 'index.html');
  const page = markup`<!doctype html><html lang="en"><meta charset="utf-8"><title>Contact sheets of previews</title>
<style>body{font:14px/1.4 sans-serif;margin:1em}section{display:flex;flex-wrap:wrap;gap:1em;margin-bottom:2em}img{max-width:100%;height:auto}ol{margin:0}</style>
<h1>Contact sheets of ${entries.length} previews</h1><p>One row per segment, from its first to its last picture. Last row: the candidates for the poster, best first.</p>
${entries.map(({ name, picture, facts, segments }) => markup`<h2>${name}</h2><p>${facts}</p><section><img src="${picture}" alt="Contact sheet of ${name}" loading="lazy"><ol>${segments.map((segment) => markup`<li>${segment}</li>`)}</ol></section>`)}</html>
`;
  await writeFile(output, page.text);
  return output;
}

/** Copies a yuv420p picture (BT.601, video levels) into a larger RGB picture. */
function copyPicture(picture: Uint8Array, rgb: Uint8Array, width: number, left: number, top: number): void {
  const pixels = pictureWidth * pictureHeight;
  for (let y = 0; y < pictureHeight; y++) {
    for (let x = 0; x < pictureWidth; x++) {
      const chroma = pixels + (y >> 1) * (pictureWidth >> 1) + (x >> 1);
      const luma = 1.164 * (picture[y * pictureWidth + x]! - 16);
      const u = picture[chroma]! - 128;
      const v = picture[chroma + pixels / 4]! - 128;
      const level = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));
      rgb.set([level(luma + 1.596 * v), level(luma - 0.392 * u - 0.813 * v), level(luma + 2.017 * u)], ((top + y) * width + left + x) * 3);
    }
  }
}
