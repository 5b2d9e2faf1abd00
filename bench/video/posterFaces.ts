import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { loadFaceWeights } from '../../packages/video/engine/faces/loadFaceWeights.ts';
import type { FaceWeights } from '../../packages/video/engine/faces/faceNetwork.ts';
import { selectExactly } from '../../packages/video/engine/process/selectExactly.ts';
import { analyse } from '../../packages/video/engine/reading/analyse.ts';
import { chooseMoments, choosePosters, posterCandidates, type Poster } from '../../packages/video/engine/render/choosePosters.ts';
import { fitSize } from '../../packages/video/engine/render/framing/fitSize.ts';
import { rankPosters } from '../../packages/video/engine/render/rankPosters.ts';
import { shrink, takePicture } from '../../packages/video/engine/render/takePictures.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { openBackend } from './cutsMedia.ts';
import { encodePng } from './encodePng.ts';
import { runFfmpeg } from './runFfmpeg.ts';

// Compares posters with and without the search for faces, on films composed of photos with and without people, and on clips.

const usage = 'usage: FFMPEG_PATH=<ffmpeg> node --import tsx bench/video/posterFaces.ts <folder of clips> --photos <folder of photos without people> [--films 12] [--sheets <folder>]';
const { values, positionals } = parseCommandLine({ allowPositionals: true, options: { photos: { type: 'string' }, films: { type: 'string', default: '12' }, sheets: { type: 'string' } } }, usage);
const [folder] = positionals;
if (folder === undefined || values.photos === undefined) stopCommand('The folder of clips or --photos is missing.', usage);
const photos = values.photos;

/** Photos with faces in the package of the face detector. */
const people = [1, 3, 4, 5, 6].map((number) => `sample${number}.jpg`);
/** A film has this many shots of each kind, of this many seconds. */
const shots = { people: 3, other: 6, seconds: 3 };

const { signal } = new AbortController();
const backend = await openBackend();
const weights = await loadFaceWeights();
if (weights === null) throw new Error('the package @vladmandic/face-api is not installed; run npm ci with optional packages');
const peopleFolder = join(dirname(createRequire(import.meta.url).resolve('@vladmandic/face-api/package.json')), 'demo');
const work = join(tmpdir(), 'vouch-poster-faces');
await mkdir(work, { recursive: true });

interface Result {
  name: string;
  posters: readonly Poster[];
  /** Processor time of this process for the ranking, seconds: of the searches, without the decoder. */
  seconds: number;
  /** Number of pictures that were searched for faces. */
  pictures: number;
}

async function rank(path: string, found: { posters: Poster[]; moments: Poster[] }, faceWeights: FaceWeights | null): Promise<Result> {
  const info = await backend.probe(path, signal);
  const pieces = join(work, 'pieces');
  await rm(pieces, { recursive: true, force: true });
  await mkdir(pieces);
  const start = process.cpuUsage();
  const { posters, looks } = await rankPosters({
    backend, source: { path, info, hash: parse(path).name }, signal, size: fitSize(info.video, {}), pieces, posters: [null], candidates: posterCandidates, faceWeights,
  }, found.posters, found.moments);
  return { name: parse(path).name, posters: posters.slice(0, posterCandidates), seconds: process.cpuUsage(start).user / 1e6, pictures: looks };
}

/** Ranks the posters of a video without and with faces. */
async function compare(path: string): Promise<[Result, Result]> {
  const info = await backend.probe(path, signal);
  const analysis = await analyse({ backend, path, info, tier: 'balanced', signal, progress: () => {} });
  const { selection: { segments }, frames } = await selectExactly({ backend, path, signal }, analysis, { duration: 15 }, []);
  const found = { posters: choosePosters({ ...analysis, frames }, segments), moments: chooseMoments({ ...analysis, frames }, segments) };
  const both: [Result, Result] = [await rank(path, found, null), await rank(path, found, weights)];
  if (values.sheets !== undefined) await writeSheet(path, both.flatMap(({ posters }) => posters), values.sheets);
  return both;
}

/** A film of photos, each panned slowly; returns its path and the times at which it shows people. */
async function composePhotos(seed: number): Promise<{ path: string; people: number[] }> {
  const random = seededRandom(seed * 7919 + 3);
  const draw = (list: readonly string[], count: number): string[] => list.map((name) => ({ name, key: random.uniform() })).sort((one, other) => one.key - other.key).slice(0, count).map(({ name }) => name);
  const others = (await readdir(photos)).filter((name) => /\.(jpg|png)$/.test(name)).toSorted();
  const chosen = draw([...draw(people, shots.people).map((name) => join(peopleFolder, name)), ...draw(others, shots.other).map((name) => join(photos, name))], shots.people + shots.other);
  const path = join(work, `photos-${seed}.mp4`);
  if (!existsSync(path)) {
    const inputs = chosen.flatMap((name) => ['-loop', '1', '-framerate', '15', '-t', String(shots.seconds), '-i', name]);
    const pans = chosen.map((_, at) => `[${at}]scale=720:405:force_original_aspect_ratio=increase,crop=640:360:x='(iw-640)*(0.3+0.1*t/${shots.seconds})':y='(ih-360)*0.3',setsar=1[v${at}]`);
    await runFfmpeg([...inputs, '-filter_complex', `${pans.join(';')};${chosen.map((_, at) => `[v${at}]`).join('')}concat=n=${chosen.length}:v=1[v]`, '-map', '[v]', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', path], []);
  }
  return { path, people: chosen.flatMap((name, at) => (name.startsWith(peopleFolder) ? [at * shots.seconds] : [])) };
}

/** Writes the pictures without faces in the first row, and those with faces in the second. */
async function writeSheet(path: string, posters: readonly Poster[], target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const info = await backend.probe(path, signal);
  const size = { width: 320, height: 2 * Math.round((160 * info.video.height) / info.video.width) };
  const columns = posters.length / 2;
  const rgb = new Uint8Array(size.width * columns * size.height * 2 * 3);
  for (const [at, { time }] of posters.entries()) {
    const picture = await takePicture({ backend, source: { path, info, hash: '' }, signal }, time, fitSize(info.video, {}));
    if (picture === null) continue;
    const small = shrink(picture, size);
    for (let y = 0; y < size.height; y++) rgb.set(small.rgb.subarray(y * size.width * 3, (y + 1) * size.width * 3), ((Math.floor(at / columns) * size.height + y) * size.width * columns + (at % columns) * size.width) * 3);
  }
  await writeFile(join(target, `${parse(path).name}.png`), encodePng(rgb, size.width * columns, size.height * 2));
}

const rows: string[][] = [];
const films = Number(values.films);
const shown = [0, 0];
const candidates = [0, 0];
const seconds = [0, 0];
let pictures = 0;
for (let seed = 1001; seed < 1001 + films; seed++) {
  const film = await composePhotos(seed);
  const showsPeople = ({ time }: Poster): boolean => film.people.some((start) => time >= start && time < start + shots.seconds);
  for (const [at, result] of (await compare(film.path)).entries()) {
    shown[at]! += showsPeople(result.posters[0]!) ? 1 : 0;
    candidates[at]! += result.posters.filter(showsPeople).length / result.posters.length;
    seconds[at]! += result.seconds;
    pictures += result.pictures;
    console.error(`${result.name} ${at === 0 ? 'without' : 'with'} faces: ${result.posters.map((poster) => `${poster.time.toFixed(1)}${showsPeople(poster) ? ' (people)' : ''}`).join(', ')}; ${result.seconds.toFixed(1)} s`);
  }
}
const percent = (share: number): string => `${Math.round((100 * share) / films)} %`;
for (const [at, name] of ['without faces', 'with faces'].entries()) rows.push([`${films} films, ${name}`, percent(shown[at]!), percent(candidates[at]!), (seconds[at]! / films).toFixed(1), at === 0 ? '–' : (pictures / films).toFixed(1)]);
for (const name of (await readdir(folder)).filter((each) => /\.(mp4|webm|avi|mkv|mov)$/.test(each)).toSorted()) {
  for (const [at, result] of (await compare(join(folder, name))).entries()) {
    rows.push([`${result.name}, ${at === 0 ? 'without' : 'with'} faces`, result.posters.map(({ time }) => `${time.toFixed(1)} s`).join(', '), '–', result.seconds.toFixed(1), at === 0 ? '–' : String(result.pictures)]);
  }
}
await reportTable({
  name: 'video-poster-faces',
  title: 'Posters with faces',
  command: 'node --import tsx bench/video/posterFaces.ts <folder of clips> --photos <folder of photos without people>',
  data: `${films} films of ${shots.people + shots.other} panned photos of ${shots.seconds} s (seeds 1001 to ${1000 + films}), ${shots.people} of them with people (photos of the package @vladmandic/face-api), the others of opencv-doc; previews of 15 s, tier balanced; and clips`,
  columns: ['video', 'posters with people (clips: times of the poster and its alternatives)', 'candidates with people', 'CPU seconds of the searches', 'pictures searched for faces'],
  rows,
  notes: [
    'Nothing was tuned on these films. Without faces, pictures are ranked by quality and text only, as without the package. Each searched picture that is not a candidate also takes the time of its decoding. With at most six instead of four searched pictures, no film and no clip had other pictures.',
    'The films with photos cannot show a gain in people, because the photos with people are the sharper ones; the order changes in 6 of 12 films, among them two posters. By eye, on two of the sheets: there, the faces of the new poster look towards the camera and are away from the border. Of the clips, the poster of elephants-dream is a person in front of a fire instead of machinery; the detector finds no face in the pictures of the trailer that come into question.',
    'Not built: faces in the selection. A searched picture takes 0.1 to 0.3 s of CPU time; 0.1 s is as long as the tier `fast` takes for 30 s and `balanced` for 3 s of video ([speed](video-speed.md)), and one that is not decoded yet up to 1.6 s more. Pictures of 96 × 54 pixels, which the analysis decodes anyway, are not stored; in such pictures, the network finds 9 faces where it finds 12 at 320 × 180 pixels (five photos).',
  ],
});
