/**
 * Compares cut detection with PySceneDetect: on clips composed with known cuts, and on real clips with cuts labelled by eye.
 *   node --import tsx bench/video/cuts.ts <folder of clips> [--python <python with scenedetect>] [--seeds tuning]
 * Requires an ffmpeg with libx264 to encode the composed clips. The product's own reader decodes the clips.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaBackend } from '../../packages/video/engine/media/mediaBackend.ts';
import { detectShots } from '../../packages/video/engine/shots/detectShots.ts';
import { interleave } from '../harness/interleave.ts';
import { parseCommandLine, stopCommand } from '../harness/parseCommandLine.ts';
import { formatRatio } from '../harness/reportTable.ts';
import { composeClip } from './cutsCompose.ts';
import { loadLabels } from './cutsLabels.ts';
import { BenchClip, encodeComposed, encodings, openBackend } from './cutsMedia.ts';
import { runPySceneDetect } from './cutsPySceneDetect.ts';
import { labelled, nameOfTheirs, reportCuts, type Examined } from './cutsReport.ts';
import type { KnownCuts } from './cutsScore.ts';
import { loadTakes } from './cutsTakes.ts';
import { frameAt, inFrames, tiers } from './cutsTiers.ts';

const seeds = { tuning: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], test: [301, 302, 303, 304, 305, 306] };

const usage = 'usage: cuts.ts <folder of clips> [--python <python with scenedetect>] [--seeds tuning] [--out <folder>]';
const { values: options, positionals } = parseCommandLine({
  allowPositionals: true,
  options: { python: { type: 'string' }, seeds: { type: 'string', default: 'test' }, out: { type: 'string' } },
}, usage);
const [folder] = positionals;
const { seeds: split } = options;
if (folder === undefined || (split !== 'tuning' && split !== 'test')) stopCommand('The folder is missing, or --seeds is neither tuning nor test.', usage);

const scratch = await mkdtemp(join(tmpdir(), 'vouch-cuts-'));
try {
  const backend = await openBackend();
  const examined: Examined[] = [];
  for await (const [kind, path, known] of composedClips(backend)) examined.push(await examine(backend, kind, path, known));
  for (const [name, labels] of loadLabels(folder)) {
    const known = { hard: labels.hard, gradual: labels.gradual.map(([first, last]) => ({ first, last })), flashes: [] };
    examined.push(await examine(backend, labelled, join(folder, name), known));
  }
  const pySceneDetect = options.python === undefined ? null : await compareWithTheirs(backend, examined, options.python);
  await reportCuts({ examined, split, seeds: seeds[split], backend: `${backend.name} ${backend.version}`, pySceneDetect }, options.out);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function* composedClips(backend: MediaBackend): AsyncGenerator<[kind: string, path: string, known: KnownCuts]> {
  const takes = await loadTakes(backend, folder!);
  for (const seed of seeds[split as keyof typeof seeds]) {
    const { pictures, labels } = composeClip(seed, takes[split as keyof typeof seeds]);
    for (const [number, [name, encoding]] of Object.entries(encodings).entries()) {
      const path = join(scratch, `${seed}-${number}.mp4`);
      await encodeComposed(pictures, encoding, path);
      yield [`composed, ${name}`, path, labels];
    }
  }
}

async function examine(backend: MediaBackend, kind: string, path: string, known: KnownCuts): Promise<Examined> {
  const clip = await BenchClip.open(backend, path);
  const { times } = await clip.packets();
  const found: Examined['found'] = new Map();
  for (const [tier, detect] of Object.entries(tiers)) found.set(tier, inFrames(await detect(clip), times));
  console.error(`${kind} ${path}: ${[...found].map(([tier, { hard }]) => `${tier} ${hard.length}`).join(', ')} of ${known.hard.length} hard cuts`);
  return { kind, path, known, times, found };
}

async function compareWithTheirs(backend: MediaBackend, examined: readonly Examined[], python: string): Promise<{ version: string; ratio: string }> {
  let version = '';
  const byPath = new Map(examined.map((one) => [one.path, one]));
  for (const line of await runPySceneDetect(python, [...byPath.keys()])) {
    version = line.version;
    const one = byPath.get(line.clip)!;
    one.found.set(nameOfTheirs(line.detector), { hard: line.cuts.map((time) => frameAt(time, one.times)), gradual: [] });
  }
  const path = join(folder!, 'bbb-1080p.mp4');
  const clip = await BenchClip.open(backend, path);
  const ratio = await interleave({
    ours: async () => void (await runPySceneDetect(python, [path], 'adaptive')),
    theirs: async () => void detectShots(await clip.measure('none'), clip.info.duration),
    rounds: 3,
    warmup: 0,
  });
  return { version, ratio: formatRatio(ratio) };
}
