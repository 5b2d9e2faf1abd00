/**
 * Compares the analysis of a video with decoding alone, and measures the cost of a run that reuses the work of an earlier run.
 *   node --import tsx bench/video/speed.ts <video file> [--rounds 3] [--backend ffmpeg|npm] [--only accurate,balanced,fast,selection,reruns] [--data <what the file is>] [--kind <name>] [--clock processor] [--out <folder>]
 * Requires an installed ffmpeg as the reference. With --only, the other rows of the report are kept, for machines that are free
 * for only minutes at a time, except those of the part selection; these rows must come from the same file and version. --kind names the kind
 * of the file, for example `vp9`; the measurements of each kind have a separate report. --clock processor compares processor seconds of all processes instead of
 * elapsed time, for machines that are not idle (Linux).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { analyse } from '../../packages/video/engine/reading/analyse.ts';
import type { Tier } from '../../packages/video/engine/analysis/analysis.ts';
import type { MediaBackend, MediaLimits } from '../../packages/video/engine/media/mediaBackend.ts';
import type { MediaInfo } from '../../packages/video/engine/media/mediaInfo.ts';
import { openMediaBackend } from '../../packages/video/engine/backend/openMediaBackend.ts';
import { analysisHeight, analysisWidth } from '../../packages/video/engine/pictures/frameTrack.ts';
import { Engine } from '../../packages/video/engine/process/engine.ts';
import { interleave, median } from '../harness/interleave.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { childSeconds } from '../harness/processorSeconds.ts';
import { formatRatio, reportTable } from '../harness/reportTable.ts';
import { runFfmpeg } from './runFfmpeg.ts';

const usage = 'usage: speed.ts <video file> [--rounds 3] [--backend ffmpeg|npm] [--only accurate,balanced,fast,selection,reruns] [--data <what the file is>] [--kind <name>] [--clock processor] [--out <folder>]';
/** Shares of the processor time on a file with a key frame every 2 s. */
const keyFrameCost = 'Where the time goes, by processor seconds on another file of this kind (four clips, 66.4 s, 3.6 Mbit/s): decoding alone and scaling as above 8.0; in `balanced`, decoding without B-frames and loop filter 3.6, scaling 0.8, decoding all pictures of 12 windows around cuts from their key frames on (15.6 s of video) 2.1, measuring the pictures 0.6, and the start, the sound and the packets 0.9. So even without any analysis, `balanced` decodes this file at most 2.2 times as fast, and the goal requires decoding fewer P-frames. In `fast`, decoding 34 key frames takes 0.43 of 1.15, and about 0.55 does not depend on the length: on the same clips five times in a row (332 s), `fast` takes 3.6 instead of 40, a ratio of 11, of which decoding the key frames allows 19. Measured and not used: windows without the loop filter (15 % less decoding in them, 4 % of the whole), key frames without the loop filter (6 % less decoding of key frames), and `-discard nokey` instead of `-skip_frame nokey` (no gain). Scaling by `fast_bilinear` saves 0.7, but samples few of the pixels.';
/** Measured on another file of the kind, before and after a change that the rows do not have yet. */
const since: Readonly<Record<string, string>> = {
  'b-frames': 'The rows are older than two changes: frames that no other frame refers to are decoded without the loop filter in `accurate` and in the windows of `balanced`, and `fast` reads videos of up to five minutes in one process. On another file of this kind (four clips, 57.3 s) on a busy machine, the version before and this one in separate runs: `fast` 9.84 (9.84 to 10.28) and 14.28 (12.38 to 14.52), `accurate` 0.82 (0.77 to 0.87) and 0.88 (0.85 to 0.89); decoding 12 s of 1080p with three B-frames, in turns, takes 3 % less processor time without this loop filter (five pairs each: alone 6.49 instead of 6.72 s in all, with scaling 7.58 instead of 7.78 s; 7 of 10 pairs less).',
  'keys-2s': 'The rows are older than two changes: frames that no other frame refers to are decoded without the loop filter in `accurate` and in the windows of `balanced`, and `fast` reads videos of up to five minutes in one process. On another file of this kind (four clips, 57.3 s) on a busy machine, the version before and this one in separate runs: `fast` 7.47 (7.42 to 8.02) and 10.18 (9.17 to 10.66), `accurate` 0.81 (0.79 to 0.82) and 0.76 (0.75 to 0.79), so this measurement shows no gain of `accurate`; decoding 20 s of 1080p with one B-frame, in turns, takes 1 to 3 % less processor time without this loop filter (five pairs each: alone 8.72 instead of 9.00 s in all, with scaling 10.12 instead of 10.24 s; 7 of 10 pairs less).',
};
const { values, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '3' }, backend: { type: 'string', default: 'ffmpeg' }, only: { type: 'string' }, data: { type: 'string' }, kind: { type: 'string' }, clock: { type: 'string', default: 'elapsed' }, out: { type: 'string' } },
}, usage);
const path = positionals[0] ?? fail();
const rounds = Number(values.rounds);
const ffmpegPath = { ffmpeg: process.env['FFMPEG_PATH'] ?? null, npm: 'none' }[values.backend] ?? (values.backend === 'ffmpeg' ? null : fail());
if (!Number.isInteger(rounds) || rounds < 3 || !['elapsed', 'processor'].includes(values.clock)) fail();

const threads = 2;
const limits: MediaLimits = {
  memoryBytes: 3 * 2 ** 30, wallMs: 3_600_000, cpuSeconds: 7_200, diskBytes: 2 ** 33, pixels: 36_000_000, threads, niceness: 0,
};
const signal = new AbortController().signal;
const backend = await openMediaBackend(ffmpegPath, { limits, timers: systemInterfaces.timers });
const info = await backend.probe(path, signal);
const scratch = await mkdtemp(join(tmpdir(), 'vouch-speed-'));
try {
  const name = `video-speed${values.backend === 'npm' ? '-npm' : ''}${values.kind === undefined ? '' : `-${values.kind}`}`;
  const rows: (readonly (string | number)[])[] = [];
  for (const [tier, floor, goal] of [['accurate', 0.8, 0.95], ['balanced', 2, 2.5], ['fast', 12, 20]] as const) {
    rows.push(...(isAsked(tier) ? [await compareTier(backend, info, tier, `>= ${goal} (floor ${floor})`)] : await earlierRows(name, tier)));
  }
  for (const tier of ['balanced', 'fast'] as const) if (isAsked('selection')) rows.push(await shareOfSelection(tier));
  rows.push(...(isAsked('reruns') ? await compareReruns() : [...await earlierRows(name, 're-selection'), ...await earlierRows(name, 're-run')]));
  await reportTable({
    name,
    title: `Speed of video analysis${values.kind === undefined ? '' : `, ${values.kind}`}`,
    command: `node --import tsx bench/video/speed.ts <video file> --rounds ${rounds} --backend ${values.backend}${values.kind === undefined ? '' : ` --kind ${values.kind}`}${values.clock === 'processor' ? ' --clock processor' : ''}`,
    data: `${values.data ?? basename(path)}: ${info.duration.toFixed(1)} s, ${info.video.width}×${info.video.height}, ${info.video.codec}`,
    columns: ['what', 'measured', 'goal', 'ours and theirs'],
    rows,
    notes: [
      `Ours is the whole analysis (packets, pictures, sound, shots) by ${backend.name} ${backend.version}; theirs is ffmpeg decoding the pictures alone to ${analysisWidth}×${analysisHeight} and throwing them away, with the same ${threads} threads. Ratio of speeds, runs in turns${values.clock === 'processor' ? '; seconds are processor seconds of all processes, because the machine was not idle' : ''}.`,
      'Re-selection reads the stored analysis and chooses anew; the re-run also joins a preview from pieces that an earlier run encoded. Ratios to the first run of the same work.',
      ...(values.kind === 'keys-2s' ? [keyFrameCost] : []),
      ...[since[values.kind ?? '']].filter((note) => note !== undefined),
      ...(values.kind === undefined ? ['Other files, by processor seconds: [three B-frames](video-speed-b-frames.md) and [a key frame every 2 s](video-speed-keys-2s.md), where all three tiers are slower compared with decoding.'] : []),
    ],
  }, values.out);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

function isAsked(part: string): boolean {
  return values.only === undefined || values.only.split(',').includes(part);
}

/** Returns the rows of a part from the report of an earlier run; none if no earlier run measured the part. */
async function earlierRows(name: string, part: string): Promise<string[][]> {
  const folder = values.out ?? fileURLToPath(new URL('../results', import.meta.url));
  const text = await readFile(join(folder, `${name}.md`), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return '';
  });
  return text.split('\n').filter((line) => line.startsWith(`| ${part}`)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
}

async function compareTier(reader: MediaBackend, facts: MediaInfo, tier: Tier, goal: string): Promise<(string | number)[]> {
  const speeds = await interleave({
    ours: async () => facts.duration / await seconds(() => analyse({ backend: reader, path, info: facts, tier, signal, progress: () => {} })),
    theirs: async () => facts.duration / await seconds(() => decodeOnly(facts)),
    rounds, warmup: 0,
    onRound: (round, ratio) => console.log(`${tier}: round ${round}, ${ratio.toFixed(2)}`),
  });
  return [`${tier}, × the speed of decoding alone`, formatRatio(speeds), goal, `${speeds.ours.toFixed(1)} × and ${speeds.theirs.toFixed(1)} × realtime`];
}

async function decodeOnly({ video }: MediaInfo): Promise<void> {
  await runFfmpeg([
    '-nostdin', '-threads', String(threads), '-i', path, '-map', `0:${video.stream}`, '-an', '-sn', '-dn',
    '-vf', `scale=${analysisWidth}:${analysisHeight}:flags=area,format=yuv420p`, '-fps_mode', 'passthrough', '-f', 'null', '-',
  ], []);
}

/** Measures the first selection, which decodes all frames around the starts and ends of segments, as a share of a whole run. */
async function shareOfSelection(tier: Tier): Promise<(string | number)[]> {
  const shares: number[] = [];
  const [selecting, whole]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const analysisFile = join(scratch, `selection-${tier}-${round}`);
    const ask = { path, analysisFile, options: { duration: Math.min(30, Math.floor(info.duration / 3)), analysis: tier }, cues: [] };
    const engine = newEngine();
    const analysing = await seconds(() => engine.analyse({ path, info, tier, analysisFile }));
    const chosen = await seconds(() => engine.select(ask));
    const folder = join(scratch, `rendered-${tier}-${round}`);
    const rendered = await seconds(() => engine.render({ ...ask, sourceHash: 'bench', folder, pieceFolder: `${folder}-pieces`, title: 'film.mp4', report: null }));
    selecting.push(chosen);
    whole.push(analysing + chosen + rendered);
    shares.push(chosen / (analysing + chosen + rendered));
    console.log(`selection in ${tier}: round ${round + 1}, analysis ${analysing.toFixed(2)} s, selection ${chosen.toFixed(2)} s, rendering ${rendered.toFixed(2)} s`);
  }
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  return [
    `first selection in ${tier}, share of the whole run`, `${percent(median(shares))} (${percent(Math.min(...shares))} to ${percent(Math.max(...shares))})`, '–',
    `${median(selecting).toFixed(2)} s of ${median(whole).toFixed(2)} s`,
  ];
}

/**
 * Measures a first run with everything, then two kinds of runs on its intermediate results: with other options, and with the same
 * segments.
 */
async function compareReruns(): Promise<(string | number)[][]> {
  const first = { analyse: [] as number[], whole: [] as number[] };
  const again = { select: [] as number[], whole: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const pieces = join(scratch, `pieces-${round}`);
    const analysisFile = join(scratch, `analysis-${round}`);
    const options = { duration: Math.min(30, Math.floor(info.duration / 3)), analysis: 'accurate' } as const;
    const render = (engine: Engine, folder: string) => engine.render({
      path, sourceHash: 'bench', analysisFile, options, cues: [], folder: join(scratch, folder), pieceFolder: pieces, title: 'film.mp4', report: null,
    });
    const engine = newEngine();
    const analysing = await seconds(() => engine.analyse({ path, info, tier: 'accurate', analysisFile }));
    const rest = await seconds(() => render(engine, `first-${round}`));
    first.analyse.push(analysing);
    first.whole.push(analysing + rest);
    again.select.push(await seconds(() => newEngine().select({ path, analysisFile, options: { duration: options.duration * 0.7, diversity: 0.8 }, cues: [] })));
    again.whole.push(await seconds(() => render(newEngine(), `again-${round}`)));
    console.log(`re-run: round ${round + 1}`);
  }
  const row = (what: string, slow: number[], fast: number[], goal: string): string[] => {
    const ratios = slow.map((value, index) => value / fast[index]!);
    return [what, `${median(ratios).toFixed(0)} (${Math.min(...ratios).toFixed(0)} to ${Math.max(...ratios).toFixed(0)})`, goal, `${median(fast).toFixed(2)} s and ${median(slow).toFixed(2)} s`];
  };
  return [
    row('re-selection with other options, × faster than the analysis', first.analyse, again.select, '>= 500 (floor 100)'),
    row('re-run with the same segments, × faster than the first run', first.whole, again.whole, '>= 20'),
  ];
}

function newEngine(): Engine {
  return new Engine({ ffmpegPath, limits, maxSeconds: 1_000_000 }, systemInterfaces.timers);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = now();
  await work();
  return now() - started;
}

/** Seconds by the clock that was asked for. */
function now(): number {
  if (values.clock === 'elapsed') return performance.now() / 1_000;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6 + childSeconds();
}

function fail(): never {
  stopCommand('The video file is missing, --rounds is below 3, --backend is neither ffmpeg nor npm, or --clock is neither elapsed nor processor.', usage);
}
