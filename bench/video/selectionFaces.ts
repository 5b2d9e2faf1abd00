import { readdir, writeFile, mkdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { clearestFace } from '../../packages/video/engine/faces/clearestFace.ts';
import { findFaces } from '../../packages/video/engine/faces/findFaces.ts';
import { loadFaceWeights } from '../../packages/video/engine/faces/loadFaceWeights.ts';
import { faceSearchSize } from '../../packages/video/engine/faces/measureFaces.ts';
import { selectExactly } from '../../packages/video/engine/process/selectExactly.ts';
import { analyse } from '../../packages/video/engine/reading/analyse.ts';
import { choosePosters } from '../../packages/video/engine/render/choosePosters.ts';
import { takePicture } from '../../packages/video/engine/render/takePictures.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { openBackend } from './cutsMedia.ts';
import { encodePng } from './encodePng.ts';

// Counts the moments near the cut line of the selection that would replace a segment if a clear face added to their score.

const usage = 'usage: FFMPEG_PATH=<ffmpeg> node --import tsx bench/video/selectionFaces.ts <folder of clips> [--sheets <folder>]';
const { values, positionals } = parseCommandLine({ allowPositionals: true, options: { sheets: { type: 'string' } } }, usage);
const [folder] = positionals;
if (folder === undefined) stopCommand('The folder is missing.', usage);

/** Moments with at least this share of the lowest score of a segment are near the cut line. */
const near = 0.7;
/** Share of the score that the clearest face adds, at most. */
const bonuses = [0.25, 0.5] as const;
const { signal } = new AbortController();
const backend = await openBackend();
const weights = await loadFaceWeights();
if (weights === null) throw new Error('the package @vladmandic/face-api is not installed; run npm ci with optional packages');

interface Moment {
  start: number;
  score: number;
  face: number;
}

const rows: string[][] = [];
for (const name of (await readdir(folder)).filter((each) => /\.(mp4|webm|avi|mkv|mov)$/.test(each)).toSorted()) {
  const path = join(folder, name);
  const info = await backend.probe(path, signal);
  const analysis = await analyse({ backend, path, info, tier: 'balanced', signal, progress: () => {} });
  const duration = Math.min(30, info.duration / 3);
  const { selection: { segments, rejected }, frames } = await selectExactly({ backend, path, signal }, analysis, { duration }, []);
  const lowest = Math.min(...segments.map(({ score }) => score));
  const close = rejected.filter(({ why, score }) => why === 'budget' && score >= near * lowest);
  const size = faceSearchSize(info.video);
  const tiles: Uint8Array[] = [];
  const before = process.cpuUsage();
  const look = async ({ start, end, score }: { start: number; end: number; score: number }): Promise<Moment> => {
    const [poster] = choosePosters({ ...analysis, frames }, [{ start, end, score, reasons: [], title: null, text: null }]);
    const picture = await takePicture({ backend, source: { path, info, hash: '' }, signal }, poster!.time, size);
    if (picture !== null) tiles.push(picture.rgb);
    return { start, score, face: picture === null ? 0 : clearestFace(picture, findFaces(weights, picture)) };
  };
  const shown: Moment[] = [];
  for (const segment of segments) shown.push(await look(segment));
  const others: Moment[] = [];
  for (const moment of close) others.push(await look(moment));
  const { user, system } = process.cpuUsage(before);
  const worth = (bonus: number) => ({ score, face }: Moment): number => score * (1 + bonus * face);
  const beats = (bonus: number, other: Moment): boolean => worth(bonus)(other) > Math.min(...shown.map(worth(bonus)));
  const wins = bonuses.map((bonus) => others.filter((other) => beats(bonus, other) && !beats(0, other)).map(({ start }) => `${start.toFixed(1)} s`));
  rows.push([
    parse(name).name, `${shown.filter(({ face }) => face > 0).length} of ${shown.length}`, `${others.filter(({ face }) => face > 0).length} of ${others.length}`,
    ...wins.map((list) => (list.length === 0 ? 'none' : list.join(', '))), ((user + system) / 1e6 / Math.max(1, tiles.length)).toFixed(2),
  ]);
  console.error(rows.at(-1)!.join(' | '));
  if (values.sheets === undefined || tiles.length === 0) continue;
  await mkdir(values.sheets, { recursive: true });
  const sheet = new Uint8Array(size.width * size.height * tiles.length * 3);
  for (const [at, rgb] of tiles.entries()) sheet.set(rgb, at * size.width * size.height * 3);
  await writeFile(join(values.sheets, `${parse(name).name}.png`), encodePng(sheet, size.width, size.height * tiles.length));
}

await reportTable({
  name: 'video-selection-faces',
  title: 'Faces near the cut line of the selection',
  command: 'node --import tsx bench/video/selectionFaces.ts <folder of clips>',
  data: 'clips, tier balanced; previews of a third of the clip, at most 30 s. Moments near the cut line are those that did not fit and have at least 70 % of the lowest score of a segment; of each segment and moment, the best picture is searched for a clear face',
  columns: ['clip', 'segments with a clear face', 'moments near the cut line with a clear face', `moments that win with at most ${100 * bonuses[0]} % more score`, `with at most ${100 * bonuses[1]} %`, 'CPU seconds per searched picture, without its decoding'],
  rows,
  notes: [
    'Not built: a bonus for candidates that show a clear face. No clip has a moment near the cut line that would win by one: where such moments show faces (Megamind), the segment shows one too, and in the other clips the moments that did not fit show none. The trailer leaves out its other moments because of titles, dark parts and speech that must not be cut, which a bonus does not change. By eye, nothing in the sheets of the segments and moments suggests another choice. A moment that already has a higher score than a segment was left out for its length and does not count.',
    'A searched picture takes 0.2 to 0.3 s of CPU time and its decoding up to 1.6 s more ([posters](video-poster-faces.md)); six pictures would take as long as the analysis of 30 s of 1080p in `fast` (1.5 s).',
  ],
});
