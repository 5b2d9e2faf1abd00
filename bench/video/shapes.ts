import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { reportTable } from '../harness/reportTable.ts';
import { loadFaceWeights } from '../../packages/video/engine/faces/loadFaceWeights.ts';
import { extentOf, shareOfFaces, type Axis } from '../../packages/video/engine/faces/facesShown.ts';
import type { MediaInfo } from '../../packages/video/engine/media/mediaInfo.ts';
import { analyse } from '../../packages/video/engine/reading/analyse.ts';
import { followMotion, motionShare, positionAt, windowOf, type CropTrack } from '../../packages/video/engine/render/framing/followMotion.ts';
import { listShapes, type FrameShape } from '../../packages/video/engine/render/framing/frameShape.ts';
import { measureSaliency, type SalientSegment } from '../../packages/video/engine/render/framing/measureSaliency.ts';
import { takePicture } from '../../packages/video/engine/render/takePictures.ts';
import { selectExactly } from '../../packages/video/engine/process/selectExactly.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { openBackend } from './cutsMedia.ts';
import { encodePng } from './encodePng.ts';

// Measures the crops of previews: the share of the motion that they show compared with a crop in the middle, and how they move.

const usage = 'usage: node --import tsx bench/video/shapes.ts <folder of clips> [--ratios 9:16,1:1] [--sheets <folder>] [--tier balanced]';
const { values, positionals } = parseCommandLine({ allowPositionals: true, options: { ratios: { type: 'string', default: '9:16,1:1' }, sheets: { type: 'string' }, tier: { type: 'string', default: 'balanced' } } }, usage);
const [folder] = positionals;
if (folder === undefined) stopCommand('The folder is missing.', usage);
const ratios = values.ratios.split(',');
const tier = values.tier === 'fast' || values.tier === 'accurate' ? values.tier : 'balanced';

/** Pictures of a contact sheet: columns, and the size of one picture. */
const columns = 6;
const [across, down] = [256, 144];
/** Positions between which a crop counts as resting, picture widths per second. */
const resting = 0.01;

const { signal } = new AbortController();
const backend = await openBackend();
const faceWeights = await loadFaceWeights();
const rows: (string | number)[][] = [];
for (const name of (await readdir(folder)).filter((each) => /\.(mp4|webm|avi|mkv|mov)$/.test(each)).toSorted()) {
  const path = join(folder, name);
  const info = await backend.probe(path, signal);
  const analysis = await analyse({ backend, path, info, tier, signal, progress: () => {} });
  const { selection: { segments } } = await selectExactly({ backend, path, signal }, analysis, { duration: 20 }, []);
  const salient = await measureSaliency({ backend, path, info, signal, analysis, segments, faceWeights, progress: () => {} });
  for (const shape of listShapes(info.video, { aspect_ratios: ratios })) {
    if (shape.mode !== 'crop') continue;
    const track = followMotion(salient, shape);
    const followsMotion = followMotion(salient.map((segment) => ({ ...segment, faces: [] })), shape);
    rows.push([
      parse(name).name, shape.aspectRatio!, percent(pictureShare(shape)), share(track.motionShare), share(followsMotion.motionShare), share(inTheMiddle(salient, shape)),
      ...[track, followsMotion, middle(salient)].map((each) => share(facesShown(salient, each, shape))), share(facesCut(salient, track, shape)), share(facesCut(salient, followsMotion, shape)), ...movementOf(salient, track, shape),
    ]);
    if (values.sheets !== undefined) console.error(await writeSheet({ path, info, salient, shape, track }, join(values.sheets, `${parse(name).name}-${shape.aspectRatio!.replace(':', 'x')}.png`)));
  }
}

function pictureShare({ size, scaled }: FrameShape): number {
  return (size.width * size.height) / (scaled.width * scaled.height);
}

function middle(all: readonly SalientSegment[]): Pick<CropTrack, 'shots'> {
  return { shots: all.map(({ start, end }) => ({ start, end, knots: [{ time: start, position: 0.5 }] })).sort((one, other) => one.start - other.start) };
}

function inTheMiddle(all: readonly SalientSegment[], shape: FrameShape): number | null {
  return motionShare(all.flatMap(({ samples }) => samples), middle(all), axisOf(shape), pictureShare(shape));
}

function axisOf({ scaled, size }: FrameShape): Axis {
  return scaled.width > size.width ? 'columns' : 'rows';
}

/** Share of the faces that a crop shows; null if the video shows no face. */
function facesShown(all: readonly SalientSegment[], track: Pick<CropTrack, 'shots'>, shape: FrameShape): number | null {
  return shareOfFaces(all.flatMap(({ faces }) => faces), axisOf(shape), windowOf(track, pictureShare(shape)));
}

/** Share of the faces, weighted by their size, of which a crop shows a part: 10 to 90 % of the most that it can show; null if the video shows no face. */
function facesCut(all: readonly SalientSegment[], track: Pick<CropTrack, 'shots'>, shape: FrameShape): number | null {
  const window = windowOf(track, pictureShare(shape));
  let [cut, total] = [0, 0];
  for (const { time, faces } of all.flatMap((segment) => segment.faces)) {
    const { from: left, length } = window(time);
    for (const { from, to, weight } of faces.map((face) => extentOf(face, axisOf(shape)))) {
      const size = (to - from) * weight;
      const part = Math.max(0, Math.min(to, left + length) - Math.max(from, left)) / Math.min(length, to - from);
      total += size;
      if (part > 0.1 && part < 0.9) cut += size;
    }
  }
  return total > 0 ? cut / total : null;
}

/** Share of the time at rest, highest speed in picture widths per second, and jumps that are not at cuts. */
function movementOf(all: readonly SalientSegment[], track: CropTrack, shape: FrameShape): [string, string, number] {
  const room = 1 - pictureShare(shape);
  const step = 0.04;
  let [still, total, fastest, jumps] = [0, 0, 0, 0];
  for (const { start, end, transitions } of all) {
    for (let time = start; time + step < end; time += step) {
      if (transitions.some((each) => each.start > time - 1e-3 && each.end <= time + step + 1e-3)) continue;
      const speed = (room * Math.abs(positionAt(track, time + step) - positionAt(track, time))) / step;
      total++;
      if (speed < resting) still++;
      if (speed > 0.5) jumps++;
      else fastest = Math.max(fastest, speed);
    }
  }
  return [percent(still / total), fastest.toFixed(2), jumps];
}

/** Writes a contact sheet: one row per segment, with the part of each picture outside the crop darkened. */
async function writeSheet({ path, info, salient: all, shape, track }: { path: string; info: MediaInfo; salient: readonly SalientSegment[]; shape: FrameShape; track: CropTrack }, output: string): Promise<string> {
  await mkdir(parse(output).dir, { recursive: true });
  const [width, height] = [columns * (across + 4), all.length * (down + 4)];
  const rgb = new Uint8Array(width * height * 3).fill(255);
  const wide = shape.scaled.width > shape.size.width;
  for (const [row, { start, end }] of all.entries()) {
    for (let column = 0; column < columns; column++) {
      const time = start + ((end - start - 0.1) * column) / (columns - 1);
      const picture = await takePicture({ backend, source: { path, hash: '', info }, signal }, time, { width: across, height: down });
      if (picture === null) continue;
      const length = wide ? across : down;
      const from = positionAt(track, time) * length * (1 - pictureShare(shape));
      for (let y = 0; y < down; y++) {
        for (let x = 0; x < across; x++) {
          const place = wide ? x : y;
          const inside = place >= from && place < from + length * pictureShare(shape);
          for (let part = 0; part < 3; part++) rgb[((row * (down + 4) + y) * width + column * (across + 4) + x) * 3 + part] = Math.round(picture.rgb[(y * across + x) * 3 + part]! * (inside ? 1 : 0.3));
        }
      }
    }
  }
  await writeFile(output, encodePng(rgb, width, height));
  return output;
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

function share(value: number | null): string {
  return value === null ? '–' : percent(value);
}

await reportTable({
  name: tier === 'balanced' ? 'video-shapes' : `video-shapes-${tier}`,
  title: 'Crops to other aspect ratios',
  command: 'node --import tsx bench/video/shapes.ts <folder of clips>',
  data: `previews of 20 s of ${new Set(rows.map(([clip]) => clip)).size} real clips, tier ${tier}`,
  columns: ['clip', 'aspect ratio', 'picture shown', 'motion shown', 'by a crop that knows no faces', 'by a crop in the middle', 'faces shown', 'by a crop that knows no faces', 'by a crop in the middle', 'faces cut', 'by a crop that knows no faces', 'time at rest', 'highest speed', 'jumps without a cut'],
  rows,
  notes: [
    'Motion is the difference of pictures of 96 × 54 pixels, 0.1 s apart or more, after compensation of the motion of the camera; it is also what the crop follows, so the columns state how well the crop follows the motion, not whether the motion is what people look at. The same holds for faces, which are those that the detector finds (– if it finds none). A face is cut if the crop shows 10 to 90 % of the part that it can show. Speeds are in picture widths (or heights) per second. `--sheets <folder>` writes a contact sheet of each preview, with the part outside the crop darkened.',
    'Earlier crops did not keep faces whole. At 9:16, the earlier crop of the trailer showed 62.2 % of the faces and cut 83.5 % of them; that of Megamind.avi (Debian package opencv-doc) showed 94.7 % and cut 9.8 %. The present crop of Megamind.avi shows 95.4 % and cuts none. On the contact sheets, the face in the close-up of the trailer is wider than the crop, and the crop now shows both eyes.',
  ],
});
