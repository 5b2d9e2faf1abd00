import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { BenchClip } from './cutsMedia.ts';
import { loadLabels, takesOf } from './cutsLabels.ts';
import { titledTakes } from './previewsMaterial.ts';

export interface StillPicture {
  name: string;
  width: number;
  height: number;
  /** Packed RGB, 3 bytes per pixel. */
  rgb: Uint8Array;
}

export type Split = 'tuning' | 'test';

/** Largest size at which pictures are read, the size of a poster of a 720p video. */
const largest = { width: 1280, height: 720 };
const fit = `scale=w=min(iw\\,${largest.width}):h=min(ih\\,${largest.height}):force_original_aspect_ratio=decrease`;

/** Pictures of the takes of clips without titles: from the first half of each take for tuning, from the second half for the test. */
export async function readClipPictures(backend: MediaBackend, folder: string, split: Split): Promise<StillPicture[]> {
  const pictures: StillPicture[] = [];
  for (const [name, labels] of loadLabels(folder)) {
    const clip = await BenchClip.open(backend, join(folder, name));
    const { times } = await clip.packets();
    for (const { from, to } of takesOf(labels, times.length)) {
      const title = titledTakes[`${name}:${from}`];
      if (to - from < 12 || title !== undefined) continue;
      for (const share of split === 'tuning' ? [0.15, 0.35] : [0.65, 0.85]) {
        const time = times[Math.floor(from + share * (to - from))]!;
        const picture = await runPicture(['-ss', time.toFixed(4), '-i', join(folder, name), '-frames:v', '1'], fit);
        if (deviation(picture) > 12) pictures.push({ ...picture, name: `${name}:${from}+${share}` });
      }
    }
  }
  return pictures;
}

/** Real titles over scenes and cards of the clips, three pictures of each take. */
export async function readClipTitles(backend: MediaBackend, folder: string): Promise<StillPicture[]> {
  const pictures: StillPicture[] = [];
  for (const [name, labels] of loadLabels(folder)) {
    const { times } = await (await BenchClip.open(backend, join(folder, name))).packets();
    for (const { from, to } of takesOf(labels, times.length)) {
      const title = titledTakes[`${name}:${from}`];
      if (title === undefined) continue;
      const rate = 24 / 15;
      const first = from + Math.round(title.titleFrom * rate);
      for (const share of [0.3, 0.5, 0.8]) {
        const picture = await runPicture(['-ss', times[Math.floor(first + share * (to - first))]!.toFixed(4), '-i', join(folder, name), '-frames:v', '1'], fit);
        pictures.push({ ...picture, name: `${name}:${from}+${share}` });
      }
    }
  }
  return pictures;
}

/** The photos of a folder: every second one for tuning, the others for the test. */
export async function readPhotos(folder: string, split: Split): Promise<StillPicture[]> {
  const names = readdirSync(folder).sort().filter((_, index) => index % 2 === (split === 'tuning' ? 0 : 1));
  const pictures: StillPicture[] = [];
  for (const name of names) pictures.push({ ...await runPicture(['-i', join(folder, name), '-frames:v', '1'], fit), name });
  return pictures;
}

/** Kinds of text that editors lay over pictures. Sizes are shares of the height of the picture. */
const styles: Readonly<Record<string, (random: SeededRandom, letters: string) => { size: number; lines: number; place: string; options: string }>> = {
  title: (random, letters) => ({ size: 0.07 + 0.09 * random.uniform(), lines: 1, place: 'x=(w-text_w)/2:y=h*0.42', options: `fontcolor=${letters}` }),
  'title with a shadow': (random) => ({ size: 0.06 + 0.08 * random.uniform(), lines: 1, place: 'x=w*0.08:y=h*0.6', options: 'fontcolor=white:shadowcolor=black@0.6:shadowx=3:shadowy=3' }),
  'title of touching letters': (random) => ({ size: 0.1 + 0.06 * random.uniform(), lines: 1, place: 'x=(w-text_w)/2:y=h*0.3', options: `fontcolor=white:borderw=${3 + random.below(4)}:bordercolor=white` }),
  'lower third': (random) => ({ size: 0.045 + 0.02 * random.uniform(), lines: 1, place: 'x=w*0.06:y=h*0.8', options: `fontcolor=white:box=1:boxborderw=10:boxcolor=${pick(random, ['black@0.6', '0x1a3f8f', '0xa01818@0.85'])}` }),
  subtitle: (random) => ({ size: 0.045 + 0.015 * random.uniform(), lines: 2, place: 'x=(w-text_w)/2:y=h*0.82', options: `fontcolor=${pick(random, ['white', 'yellow'])}:borderw=2:bordercolor=black` }),
  'small credit': (random, letters) => ({ size: 0.035 + 0.01 * random.uniform(), lines: 1, place: 'x=(w-text_w)/2:y=h*0.7', options: `fontcolor=${letters}` }),
};

/** Lays text of each style over pictures, one style after the other; words, sizes, colours and fonts are chosen by the seed. */
export async function plantText(pictures: readonly StillPicture[], fonts: readonly string[], seed: number): Promise<StillPicture[]> {
  const planted: StillPicture[] = [];
  for (const [index, picture] of pictures.entries()) {
    const random = seededRandom(seed * 7919 + index);
    const [style, make] = Object.entries(styles)[index % Object.keys(styles).length]!;
    const { size, lines, place, options } = make(random, pick(random, meanLuma(picture) > 120 ? ['black', '0x181830', '0x5a0a0a'] : ['white', '0xf4e8c8', '0xffd23c']));
    const pixels = Math.round(size * picture.height);
    const font = pick(random, fonts);
    const chinese = font.includes('wqy');
    const capitals = random.uniform() < 0.4;
    const text = Array.from({ length: lines }, () => words(random, Math.max(4, Math.min(lines > 1 ? 34 : 22, Math.floor(picture.width * 0.8 / (pixels * 0.62)))), capitals, chinese)).join('\n');
    const filter = `drawtext=fontfile=${font}:fontsize=${pixels}:text='${text}':${place}:${options}`;
    const { width, height, rgb } = picture;
    planted.push({ ...await runPicture(['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-i', 'pipe:0', '-frames:v', '1'], filter, rgb), name: `${style}; ${picture.name}; ${font.split('/').at(-1)!}` });
  }
  return planted;
}

function words(random: SeededRandom, length: number, capitals: boolean, chinese: boolean): string {
  if (chinese) return Array.from({ length: Math.max(4, Math.floor(length / 2)) }, () => String.fromCodePoint(0x4e00 + random.below(3000))).join('');
  const list = ['the', 'morning', 'story', 'of', 'a', 'river', 'Monday', 'never', 'looks', 'back', 'Winter', 'journey', 'part', 'two', 'directed', 'by', 'Anna', 'Keller', 'news', 'at', 'nine', 'we', 'only', 'wanted', 'to', 'go', 'home', 'Lisbon', 'quick', 'fox', 'jumps'];
  let text = pick(random, list);
  while (text.length < length - 6) text += ` ${pick(random, list)}`;
  return (capitals ? text.toUpperCase() : text[0]!.toUpperCase() + text.slice(1)).slice(0, Math.max(length, 4));
}

function pick<Element>(random: SeededRandom, list: readonly Element[]): Element {
  return list[random.below(list.length)]!;
}

/** Runs the installed ffmpeg for one picture. */
async function runPicture(input: readonly string[], filter: string, data?: Uint8Array): Promise<Omit<StillPicture, 'name'>> {
  const child = spawn(process.env['FFMPEG_PATH'] ?? 'ffmpeg', ['-v', 'error', ...input, '-vf', filter, '-pix_fmt', 'rgb24', '-f', 'image2pipe', '-c:v', 'ppm', 'pipe:1'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const parts: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const closed = once(child, 'close');
  child.stdin.on('error', () => {});
  child.stdin.end(data);
  const [code] = await closed;
  const all = Buffer.concat(parts);
  const head = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(all.subarray(0, 40).toString('latin1'));
  if (code !== 0 || head === null) throw new Error(`ffmpeg ended with ${String(code)}: ${said}`);
  return { width: Number(head[1]), height: Number(head[2]), rgb: all.subarray(head[0].length) };
}

function meanLuma({ rgb }: { rgb: Uint8Array }): number {
  let sum = 0;
  for (let at = 0; at < rgb.length; at += 3) sum += 0.299 * rgb[at]! + 0.587 * rgb[at + 1]! + 0.114 * rgb[at + 2]!;
  return sum / (rgb.length / 3);
}

function deviation({ rgb }: { rgb: Uint8Array }): number {
  let [sum, squares, count] = [0, 0, 0];
  for (let at = 1; at < rgb.length; at += 3, count++) {
    sum += rgb[at]!;
    squares += rgb[at]! ** 2;
  }
  return Math.sqrt(squares / count - (sum / count) ** 2);
}
