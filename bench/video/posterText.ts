import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { reportTable } from '../harness/reportTable.ts';
import { showsText } from '../../packages/video/engine/render/overlay/showsText.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { openBackend } from './cutsMedia.ts';
import { plantText, readClipPictures, readClipTitles, readPhotos, type Split, type StillPicture } from './posterTextPictures.ts';

// Scores the search for text in posters: planted text that is found, and pictures without text in which text is reported.

const usage = 'usage: node --import tsx bench/video/posterText.ts <folder of clips> --photos <folder of photos without text> --fonts <folder of fonts> [--seeds tuning]';
const { values, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { photos: { type: 'string' }, fonts: { type: 'string' }, seeds: { type: 'string', default: 'test' } },
}, usage);
const [folder] = positionals;
if (folder === undefined || values.photos === undefined || values.fonts === undefined) {
  stopCommand('A folder is missing.', usage);
}
const split: Split = values.seeds === 'tuning' ? 'tuning' : 'test';

const backend = await openBackend();
const clips = await readClipPictures(backend, folder, split);
const photos = await readPhotos(values.photos, split);
const fontFolder = values.fonts;
const fonts = readdirSync(fontFolder).sort().filter((_, index) => index % 2 === (split === 'tuning' ? 1 : 0)).map((name) => join(fontFolder, name));
const planted = await plantText([...clips, ...photos, ...clips, ...photos], fonts, split === 'tuning' ? 1 : 2);

const groups = new Map<string, { found: number; of: number }>();
const started = process.cpuUsage();
let pictures = 0;
/** Counts the pictures in which text is found, and prints the others or, of pictures without text, those in which text is found. */
function look(list: readonly StillPicture[], hasText: boolean, nameOf: (picture: StillPicture) => string): void {
  for (const picture of list) {
    const group = groups.get(nameOf(picture)) ?? { found: 0, of: 0 };
    const found = showsText(picture);
    groups.set(nameOf(picture), { found: group.found + (found ? 1 : 0), of: group.of + 1 });
    if (found !== hasText) console.error(`${hasText ? 'missed' : 'false alarm'}: ${picture.name}`);
    pictures++;
  }
}
look(planted, true, ({ name }) => `planted: ${name.split(';')[0]!}`);
if (split === 'tuning') look(await readClipTitles(backend, folder), true, () => 'titles and cards of the clips');
look(clips, false, () => 'no text: pictures of clips');
look(photos, false, () => 'no text: photos');
const milliseconds = process.cpuUsage(started).user / 1000 / pictures;

/** Figures of the tuning pictures, and of settings that lost there. */
const tried = 'On the tuning pictures, the search finds 24 of 29 titles, 27 of 29 titles with a shadow, 27 of 28 lower thirds, 28 of 28 subtitles, 18 of 28 small credits and 12 of 12 real titles and cards of the clips, and reports text in none of 71 pictures without text. Tried there and dropped: 360 instead of 540 rows (half the time, but 18 instead of 50 % of the small credits, at thresholds of that time); lines of five letters (68 instead of 64 % of the small credits, but text in two pictures without text); two contrasts with lines of five letters (75 % of the small credits, but text in four pictures without text).';
/** Measured in turns on a busy machine; the shares on `bbb-1080p.mp4`. */
const cost = 'Since the shapes are found by runs of pixels instead of pixel by pixel, the search takes 18 % of the CPU time of before (19.6 and 106.7 ms in turns), with the same answers on all of 435 pictures of this kind. The first pictures of a process take longer, because the code is not compiled yet. In a new process, after an analysis of 30 s of 1080p (bbb-1080p) in `fast`, which decodes 3 % of the frames and takes 0.9 s of CPU time with ffmpeg, the first searched picture takes 66 ms and the second 32 ms, together 11.1 % of the analysis (medians of six, in turns). Before the loop over the runs of a row became a function of its own, and before bright and dark shapes took the same way through the code, so that V8 discards less compiled code, they took 105 and 33 ms, 15.5 %; with pixels instead of runs, 35 %. The search itself is 14 ms of it, the rest interprets and compiles the code. Without `poster_candidates`, the search ends at the first picture without text (7 %). In the other tiers, the search took at most 2.6 % before. Of the run, which also decodes the surroundings of the boundaries and the pictures of the posters (1.3 s each), the search takes about 1 %. Tried and dropped: the options `--always-sparkplug` and a smaller `--interrupt-budget` of V8 (in one thread, 50 to 58 instead of 49 to 53 ms for the first picture and 24 to 31 instead of 23 ms for the second); sums of edges per run instead of per edge (55 instead of 53 ms). Constants instead of properties gained nothing either. Each picture with text costs one more picture to decode, at most five.';

await reportTable({
  name: `video-poster-text${split === 'test' ? '' : '-tuning'}`,
  title: `Text over pictures${split === 'test' ? '' : ', tuning pictures'}`,
  command: `node --import tsx bench/video/posterText.ts <folder of clips> --photos <folder of photos> --fonts <folder of fonts>${split === 'test' ? '' : ' --seeds tuning'}`,
  data: `${clips.length} pictures of takes without titles and ${photos.length} photos (leaves, buildings, faces, textures; of opencv-doc, mate-backgrounds, gnome-backgrounds, scikit-image and scikit-learn), and text in one of ${fonts.length} fonts (DejaVu, Lato, Liberation, Roboto, WenQuanYi) over each of them twice, at up to 1280 × 720`,
  columns: ['pictures', 'text found', 'share'],
  rows: [...groups].map(([name, { found, of }]) => [name, `${found} of ${of}`, `${((100 * found) / of).toFixed(0)} %`]),
  notes: [
    `The search takes ${milliseconds.toFixed(0)} ms of CPU time per picture.`,
    'Tuning uses the first half of each take, every second photo and every second font, the test the others. Sizes of letters, as a share of the height of the picture: titles 7 to 16 %, lower thirds and subtitles 4.5 to 6.5 %, small credits 3.5 to 4.5 %. The colour of titles and credits is light on dark and dark on light pictures, whatever is below the letters, so some are hard to read.',
    ...(split === 'test' ? [tried, cost] : []),
  ],
});
