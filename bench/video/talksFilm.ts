import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { seededRandom, type SeededRandom } from '../../packages/platform/process/seededRandom.ts';
import { runFfmpeg } from './runFfmpeg.ts';

/** Size and rate of the pictures of a talk. */
const [width, height, rate] = [640, 360, 25];
const soundRate = 16_000;
const lumaBytes = width * height;
const pictureBytes = (lumaBytes * 3) / 2;
/** Duration of a dissolve between two slides, seconds. */
const dissolve = 0.6;
/** Size and place of the picture of the speaker, pixels. */
const inset = { width: 160, height: 90, left: 464, top: 254 } as const;

export const talkKinds = ['white', 'dark', 'code', 'builds', 'speaker'] as const;
export type TalkKind = (typeof talkKinds)[number];

export interface Spoken {
  start: number;
  end: number;
}

/** A generated talk: an encoded file, and what is in it. All times in seconds. */
export interface Talk {
  kind: TalkKind;
  path: string;
  seconds: number;
  slides: readonly Spoken[];
  /** Times at which a slide gets one more line, or text scrolls. */
  builds: readonly number[];
  sentences: readonly Spoken[];
}

const subjects = ['the cache', 'a queue', 'the index', 'every reader', 'our scheduler', 'the log', 'a replica', 'the planner', 'one worker', 'the gateway', 'a checksum', 'the balancer'];
const actions = ['keeps', 'loses', 'copies', 'orders', 'measures', 'hides', 'repeats', 'moves', 'counts', 'merges', 'delays', 'checks'];
const objects = ['old entries', 'large messages', 'the slowest request', 'what it has seen', 'all failed writes', 'the last page', 'half of the load', 'the oldest keys', 'a second answer', 'its own state', 'the open files', 'each short pause'];
const endings = ['when memory is short', 'after a restart', 'before anybody notices', 'in the second week', 'at the end of the day', 'as long as it can', 'under a heavy load', 'without a lock'];

function pick<Item>(random: SeededRandom, list: readonly Item[]): Item {
  return list[Math.floor(random.uniform() * list.length)]!;
}

/** Makes a talk of about three minutes, or takes the one in `folder`. `clip` shows the speaker. */
export async function makeTalk(kind: TalkKind, seed: number, folder: string, clip: string): Promise<Talk> {
  await mkdir(folder, { recursive: true });
  const random = seededRandom(100 * seed + talkKinds.indexOf(kind));
  const name = join(folder, `talk-${kind}-${seed}`);
  const voice = pick(random, ['slt', 'rms', 'kal16']);
  const slides: Spoken[] = [];
  const sentences: Spoken[] = [];
  const builds: number[] = [];
  const sounds: Int16Array[] = [];
  const pages: Page[] = [];
  let samples = 0;
  for (let slide = 0; slide < 9; slide++) {
    const start = frameTime(samples / soundRate);
    for (let line = 0; line < (slide === 0 ? 2 : 4); line++) {
      const sound = await speak(`${pick(random, subjects)} ${pick(random, actions)} ${pick(random, objects)} ${pick(random, endings)}.`, voice);
      const pause = new Int16Array(Math.round(soundRate * (0.35 + 0.4 * random.uniform())));
      sentences.push({ start: samples / soundRate, end: (samples + sound.length) / soundRate });
      if (line > 0 && slide > 0 && (kind === 'builds' || kind === 'code')) builds.push(frameTime(samples / soundRate));
      sounds.push(sound, pause);
      samples += sound.length + pause.length;
    }
    slides.push({ start, end: frameTime(samples / soundRate) });
    pages.push(await paintPage(kind, slide, random, name));
  }
  const seconds = slides.at(-1)!.end;
  const talk = { kind, path: `${name}.mp4`, seconds, slides, builds, sentences };
  if (await exists(talk.path)) return talk;
  const sound = Buffer.concat(sounds.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength)));
  const silent = `${name}.pcm.wav`;
  await runFfmpeg(['-f', 's16le', '-ar', String(soundRate), '-ac', '1', '-i', 'pipe:0', silent], [sound]);
  const speaker = kind === 'speaker' ? await speakerPictures(clip) : [];
  await runFfmpeg(['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', `${width}x${height}`, '-r', String(rate), '-i', 'pipe:0', '-i', silent, '-c:v', 'libx264', '-preset', 'veryfast', '-c:a', 'aac', '-shortest', talk.path], picturesOf(talk, pages, speaker) as unknown as Uint8Array[]);
  await rm(silent);
  return talk;
}

function frameTime(seconds: number): number {
  return Math.round(seconds * rate) / rate;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(() => true, () => false);
}

/** States of a slide, each `pictureBytes`: one, or one per added line. */
type Page = readonly Uint8Array[];

function* picturesOf({ kind, seconds, slides, builds }: Talk, pages: readonly Page[], speaker: readonly Uint8Array[]): Iterable<Uint8Array> {
  for (let frame = 0; frame < Math.round(seconds * rate); frame++) {
    const time = frame / rate + 1e-6;
    const slide = slides.findLastIndex(({ start }) => start <= time);
    const page = pages[slide]!;
    const state = builds.filter((build) => build >= slides[slide]!.start && build <= time).length;
    const picture = Uint8Array.from(page[Math.min(state, page.length - 1)]!);
    const share = (time - slides[slide]!.start) / dissolve;
    if (kind === 'dark' && slide > 0 && share < 1) mixInto(picture, pages[slide - 1]!.at(-1)!, 1 - share);
    if (speaker.length > 0) insert(picture, speaker[frame % speaker.length]!);
    if (kind === 'code') paintCursor(picture, frame);
    yield picture;
  }
}

function mixInto(picture: Uint8Array, other: Uint8Array, share: number): void {
  for (let at = 0; at < picture.length; at++) picture[at] = picture[at]! * (1 - share) + other[at]! * share;
}

function insert(picture: Uint8Array, small: Uint8Array): void {
  let from = 0;
  let plane = 0;
  for (const scale of [1, 2, 2]) {
    const columns = inset.width / scale;
    for (let row = 0; row < inset.height / scale; row++, from += columns) {
      picture.set(small.subarray(from, from + columns), plane + (Math.floor(inset.top / scale) + row) * (width / scale) + inset.left / scale);
    }
    plane += (width / scale) * (height / scale);
  }
}

/** A blinking text cursor, and a mouse that moves in a circle. */
function paintCursor(picture: Uint8Array, frame: number): void {
  const fill = (left: number, top: number, columns: number, rows: number): void => {
    for (let row = 0; row < rows; row++) picture.fill(235, (top + row) * width + left, (top + row) * width + left + columns);
  };
  if (frame % rate < 12) fill(300, 180, 8, 16);
  fill(Math.round(400 + 150 * Math.sin(frame / 60)), Math.round(180 + 120 * Math.cos(frame / 47)), 6, 10);
}

const colours = {
  white: { ground: 'white', title: '0x1F3864', text: '0x222222' },
  dark: { ground: '0x15202B', title: '0xFFC857', text: '0xE8E8E8' },
  code: { ground: '0x1E1E1E', title: '0x9CDCFE', text: '0xD4D4D4' },
  builds: { ground: '0xF4F6F8', title: '0x0B6E4F', text: '0x333333' },
  speaker: { ground: 'white', title: '0x7A1F1F', text: '0x222222' },
} as const;

async function paintPage(kind: TalkKind, slide: number, random: SeededRandom, name: string): Promise<Page> {
  const words = (): string => `${pick(random, subjects)} ${pick(random, actions)} ${pick(random, objects)}`;
  const colour = colours[kind];
  const draw = (text: string, size: number, shade: string, left: number, top: number): string =>
    `drawtext=font=${kind === 'code' ? 'DejaVu Sans Mono' : 'DejaVu Sans'}:text='${text}':fontsize=${size}:fontcolor=${shade}:x=${left}:y=${top}`;
  if (kind === 'code') {
    const lines = Array.from({ length: 60 }, (_, line) => `${' '.repeat(2 * Math.floor(3 * random.uniform()))}${pick(random, ['const', 'let', 'return', 'if', 'await', 'for'])} ${words().replaceAll(' ', pick(random, ['_', '.', '(']))}${line % 3 === 0 ? ' {' : ';'}`);
    const states = [0, 8, 19, 31].map((from) => [draw(`module_${slide}.ts`, 13, colour.title, 12, 8), ...lines.slice(from, from + 18).map((line, row) => draw(line, 13, row % 4 === 1 ? '0xCE9178' : colour.text, 40, 34 + 18 * row))]);
    return Promise.all(states.map((filters, state) => paint(colour.ground, filters, `${name}-${slide}-${state}`)));
  }
  if (slide === 0) return [await paint(colour.ground, [draw(`On how ${words()}`, 26, colour.title, 60, 140), draw('A talk in nine parts', 18, colour.text, 60, 190)], `${name}-0`)];
  const bullets = Array.from({ length: 4 }, (_, line) => draw(`- ${words()}`, 17, colour.text, 50, 110 + 42 * line));
  const head = [`drawbox=x=0:y=70:w=640:h=3:color=${colour.title}:t=fill`, draw(`${slide}. ${words()}`, 22, colour.title, 36, 30)];
  const counts = kind === 'builds' ? [1, 2, 3, 4] : [4];
  return Promise.all(counts.map((count) => paint(colour.ground, [...head, ...bullets.slice(0, count)], `${name}-${slide}-${count}`)));
}

async function paint(ground: string, filters: readonly string[], name: string): Promise<Uint8Array> {
  const output = `${name}.yuv`;
  await runFfmpeg(['-f', 'lavfi', '-i', `color=${ground}:s=${width}x${height}:d=0.04:r=25`, '-vf', [...filters, 'format=yuv420p'].join(','), '-frames:v', '1', '-f', 'rawvideo', output], []);
  const picture = await readFile(output);
  await rm(output);
  if (picture.length !== pictureBytes) throw new Error(`ffmpeg wrote ${picture.length} bytes instead of one picture`);
  return picture;
}

async function speak(text: string, voice: string): Promise<Int16Array> {
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', `flite=text='${text}':voice=${voice}`, '-af', 'silenceremove=start_periods=1:start_threshold=-50dB,areverse,silenceremove=start_periods=1:start_threshold=-50dB,areverse', '-ar', String(soundRate), '-ac', '1', '-f', 's16le', 'pipe:1'], { encoding: 'buffer', maxBuffer: 1e8 });
  return new Int16Array(Uint8Array.from(stdout).buffer);
}

async function speakerPictures(clip: string): Promise<Uint8Array[]> {
  const { stdout } = await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', clip, '-t', '12', '-vf', `scale=${inset.width}:${inset.height},fps=${rate},format=yuv420p`, '-f', 'rawvideo', 'pipe:1'], { encoding: 'buffer', maxBuffer: 1e9 });
  const bytes = (inset.width * inset.height * 3) / 2;
  return Array.from({ length: Math.floor(stdout.length / bytes) }, (_, index) => stdout.subarray(index * bytes, (index + 1) * bytes));
}
