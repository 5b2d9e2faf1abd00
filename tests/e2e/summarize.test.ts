import { execFile, spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { openMediaBackend } from '@vouch/video/engine/backend/openMediaBackend';
import { freePort } from '@vouch/platform/testing/freePort';
import { makeFlashClip } from '@vouch/video/engine/testing/flashAndBeep';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { vouchProgram as program } from '../../bench/harness/serveVouch.ts';

const { FFMPEG_PATH } = process.env;
const limits = { memoryBytes: 2 * 2 ** 30, wallMs: 100_000, cpuSeconds: 100, diskBytes: 1e9, pixels: 4e6, threads: 2, niceness: 0 };
const clipSeconds = 30;

let folder: string;
let clip: string;
let server: Server;
let address: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-summarize-'));
  clip = join(folder, 'clip.mp4');
  const backend = await openMediaBackend(FFMPEG_PATH, { limits, timers: systemInterfaces.timers });
  await makeFlashClip(backend, clip, { numerator: 20, denominator: 1 }, clipSeconds, new AbortController().signal);
  await writeFile(join(folder, 'letter.mp4'), 'Dear reader, this is not a film.\n');
  server = createServer((_request, response) => createReadStream(clip).pipe(response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  address = `127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
});

afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

function environment(more: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, ...(FFMPEG_PATH === undefined ? {} : { FFMPEG_PATH }), ...more };
}

function vouch(args: readonly string[], more: Record<string, string> = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'summarize', ...args], { cwd: folder, env: environment(more), maxBuffer: 1e7 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

interface Printed {
  title: string;
  source: { duration: number; width: number; codec: string };
  engine: { backend: string; analysis: string };
  warnings: { code: string; detail: string }[];
  segments: { start: number; end: number; reasons: { kind: string; share: number }[] }[];
  outputs: { kind: string; path: string; bytes: number; duration?: number; time?: number }[];
}

test('an address becomes a preview, a storyboard, key frames and a report, without a server', async () => {
  const url = `http://${address}/films/The%20clip.mp4?signature=secret`;
  const { code, stdout, stderr } = await vouch([url, '--duration', '6', '--json', '--analysis', 'accurate', '--options', '{"subtitles_language":"nl","exclude_ranges":[{"start":90,"end":95}]}'], { VOUCH_ALLOW_PRIVATE_ADDRESSES: address });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).not.toContain('secret');
  const printed = JSON.parse(stdout) as Printed;
  expect(printed).toMatchObject({ title: 'The clip.mp4', source: { width: 128, codec: 'h264' }, engine: { analysis: 'accurate' } });
  const seconds = printed.segments.reduce((sum, { start, end }) => sum + end - start, 0);
  expect(Math.abs(seconds - 6)).toBeLessThan(0.6);
  for (const { reasons } of printed.segments) expect(reasons.length).toBeGreaterThan(0);
  const out = join(folder, 'The-clip-preview');
  const names = await readdir(out);
  expect(names.sort()).toEqual(printed.outputs.map(({ path }) => basename(path)).sort());
  const of = (kind: string): Printed['outputs'] => printed.outputs.filter((output) => output.kind === kind);
  expect(of('mp4')[0]?.duration).toBeCloseTo(seconds, 1);
  expect(of('keyframe').length).toBe(printed.segments.length);
  for (const [index, { time }] of of('keyframe').entries()) {
    expect(time).toBeGreaterThanOrEqual(printed.segments[index]!.start - 0.001);
    expect(time).toBeLessThan(printed.segments[index]!.end);
  }
  expect(await readFile(of('storyboard-vtt')[0]!.path, 'utf8')).toContain('storyboard.jpg#xywh=0,0,');
  const report = await readFile(of('report')[0]!.path, 'utf8');
  expect(report).toContain('Preview of The clip.mp4');
  expect(printed.warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['subtitles-not-found', 'option-without-effect']));
  for (const { detail } of printed.warnings) expect(report).toContain(detail);
  expect(report.match(/<li>\n<div><svg/g)?.length).toBe(printed.segments.length);
});

exhaustiveTest('what cannot be done gets a sentence and an exit code, and leaves nothing behind', async () => {
  const cases: [string[], number, RegExp][] = [
    [['clip.mp4', '--out', 'letter.mp4/deep'], 2, /letter\.mp4 is not a folder/],
    [['nowhere.mp4'], 3, /The file nowhere\.mp4 does not exist/],
    [['letter.mp4'], 3, /letter\.mp4/],
    [[`http://${address}/clip.mp4`], 3, /127\.0\.0\.1/],
    [['clip.mp4', '--duration', 'soon'], 2, /"soon"/],
    [['clip.mp4', '--durations', '5'], 2, /unknown option '--durations'/],
    [[], 2, /missing required argument 'media'/],
    [['clip.mp4', '--duration', '10', '--ratio', '0.5'], 2, /ratio 0\.5 and duration 10/],
    [['clip.mp4', '--options', '{"durations":3}'], 2, /durations.*duration/],
    [['clip.mp4', '--options', 'no json'], 2, /--options is "no json"/],
  ];
  const before = await readdir(folder);
  const results = await Promise.all(cases.map(([args]) => vouch(['--out', 'made/here', ...args])));
  for (const [index, { code, stdout, stderr }] of results.entries()) {
    const [, wanted, sentence] = cases[index]!;
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect([code, stdout]).toEqual([wanted, '']);
  }
  expect(await readdir(folder)).toEqual(before);
  const told = await vouch(['letter.mp4', '--json', '--out', 'made/here']);
  expect(JSON.parse(told.stdout)).toMatchObject({ error: { code: 'not-media', status: 422 } });
});

test.skipIf(process.platform !== 'linux')('a folder that cannot be written into is named, with the way out', async () => {
  // Not even root can create a folder in /proc.
  const { code, stderr } = await vouch(['clip.mp4', '--out', '/proc/preview']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^vouch: \/proc is not writable \(\w+\)\. Set --out to a folder/)]);
});

test.skipIf(process.getuid?.() === 0)('a file that may not be read is named in a sentence', async () => {
  await writeFile(join(folder, 'closed.mp4'), 'x', { mode: 0o000 });
  const { code, stderr } = await vouch(['closed.mp4']);
  expect([code, stderr]).toEqual([3, 'vouch: You cannot read closed.mp4. Change the permissions of the file, or use a readable copy.\n']);
});

exhaustiveTest('subtitles without a line are told of', async () => {
  const { code, stdout } = await vouch(['clip.mp4', '--duration', '3', '--outputs', 'poster', '--out', 'untitled', '--subtitles', 'letter.mp4']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/Warning: The subtitle file \(letter\.mp4\) contains no SubRip or WebVTT cue/);
});

test('each new try of a server that refuses is told, in the words of the command line', async () => {
  const closed = `127.0.0.1:${await freePort()}`;
  const { code, stdout, stderr } = await vouch([`http://${closed}/film.mp4`], { VOUCH_ALLOW_PRIVATE_ADDRESSES: closed });
  const fault = `The media could not be downloaded: ${closed} refuses connections.`;
  expect({ code, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({
    code: 3, stdout: '', lines: [...['0.3', '1.0', '3.0'].map((seconds) => `${fault} Vouch tries again in ${seconds} s.`), `vouch: ${fault} Check the URL, then try again. Vouch tried 4 times.`],
  });
});

test('Ctrl-C leaves no file and no process behind', async () => {
  const mark = await mkdtemp(join(folder, 'mark-'));
  const child = spawn(process.execPath, [program, 'summarize', clip, '--out', 'stopped/deep'], { cwd: folder, env: environment({ TMPDIR: mark }), stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((done) => child.once('exit', (code) => done(code)));
  // The engine runs as soon as the program has started a process in a separate process group.
  while ((await marked(mark)) < 3 && child.exitCode === null) await systemInterfaces.timers.sleep(20);
  const before = (await readdir(folder)).filter((name) => !name.startsWith('.vouch-summarize-'));
  // The output folder is created only when there is output: of two runs into one folder, neither could tell whether it may remove
  // it.
  expect(before).not.toContain('stopped');
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(await readdir(folder)).toEqual(before);
  expect(await marked(mark)).toBe(0);
});

/** Counts the processes that use the folder for temporary files: the program and all its child processes. */
async function marked(mark: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '')));
  return environments.filter((text) => text.split('\0').includes(`TMPDIR=${mark}`)).length;
}
