import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Analysis, Warning } from '../analysis/analysis.ts';
import { shownFrame } from '../media/heldPictures.ts';
import { buildReport, type PictureSheet, type ReportFacts } from '../report/buildReport.ts';
import { listShaped } from '../report/shapedPreviews.ts';
import type { Selection } from '../selection/selection.ts';
import type { Source } from './encodePieces.ts';
import { fitSize, type Size } from './framing/fitSize.ts';
import type { RenderedFile, Rendering } from './rendering.ts';
import { composeSprite, tilePlace } from './storyboardGrid.ts';
import { takePicture, type PictureSource, type TakenPicture } from './takePictures.ts';

const pictureSide = 320;
const columns = 5;
/** Maximum number of pictures of rejected segments, because each one costs a seek in the source. */
const rejectedShown = 8;
/** Maximum number of segments with a picture: 200 pictures would make a sheet of 14 million pixels. */
const segmentsShown = 100;

interface ReportRequest extends PictureSource {
  analysis: Analysis;
  selection: Selection;
  folder: string;
  title: string;
  /** Pictures of the segments by segment index, in the size `reportPictureSize`. */
  small: ReadonlyMap<number, TakenPicture>;
  /** Warnings of the download and of the subtitles. */
  warnings: readonly Warning[];
  /** The rendering that the report describes. */
  done: Rendering;
}

/** Size of the pictures in the report, pixels; the larger side has 320 pixels. */
export function reportPictureSize({ info }: Source): Size {
  return fitSize(info.video, { width: pictureSide, height: pictureSide });
}

/** Renders report.html into the folder of the outputs. */
export async function renderReport(request: ReportRequest): Promise<RenderedFile> {
  const { analysis, selection, title, done, folder } = request;
  const facts: ReportFacts = {
    title, analysis, selection,
    parts: done.parts,
    preview: choosePreview(done.files),
    shapes: listShaped(done.files).map(({ path, shape }) => ({ path: basename(path), shape })),
    files: done.files.map((file) => ({ ...file, path: basename(file.path) })),
    warnings: [...request.warnings, ...analysis.warnings, ...selection.warnings, ...done.warnings],
    pictures: await makeSheet(request),
  };
  const path = join(folder, 'report.html');
  await writeFile(path, buildReport(facts));
  return { kind: 'report', path, contentType: 'text/html; charset=utf-8' };
}

function choosePreview(files: readonly RenderedFile[]): ReportFacts['preview'] {
  const poster = files.find(({ kind }) => kind === 'poster');
  for (const kind of ['mp4', 'webm', 'av1', 'webp', 'gif'] as const) {
    const found = files.find((file) => file.kind === kind);
    if (found !== undefined) return { kind, name: basename(found.path), poster: poster === undefined ? null : basename(poster.path) };
  }
  return null;
}

async function makeSheet(request: ReportRequest): Promise<PictureSheet | null> {
  const { analysis, source, selection, small, backend, folder, signal } = request;
  const tile = reportPictureSize(source);
  const rejected: (Uint8Array | null)[] = [];
  for (const { start, end } of selection.rejected.slice(0, rejectedShown)) {
    rejected.push((await takePicture(request, shownFrame(analysis.frameTimes, (start + end) / 2), tile))?.rgb ?? null);
  }
  const segments = selection.segments.slice(0, segmentsShown).map((_, index) => small.get(index)?.rgb ?? null);
  const tiles = [...segments, ...rejected];
  if (tiles.every((picture) => picture === null)) return null;
  const grid = { tile, columns, rows: Math.ceil(tiles.length / columns) };
  const { rgb, width, height } = composeSprite(grid, tiles);
  const path = join(folder, 'report-pictures.jpg');
  try {
    await backend.encodeStill({ rgb, width, height, output: path, signal });
    const place = (picture: Uint8Array | null, index: number): { x: number; y: number } | null => (picture === null ? null : tilePlace(grid, index));
    return {
      dataUrl: `data:image/jpeg;base64,${await readFile(path, 'base64')}`,
      width, height, tile,
      segments: segments.map(place),
      rejected: rejected.map((picture, index) => place(picture, segments.length + index)),
    };
  } finally {
    await rm(path, { force: true });
  }
}
