import { reportTable } from '../harness/reportTable.ts';
import { addCounts, rates, scoreCuts, type FoundCuts, type KnownCuts } from './cutsScore.ts';

/** A clip with the results of all detectors. */
export interface Examined {
  /** `labelled`, or `composed` and the encoding. */
  kind: string;
  path: string;
  known: KnownCuts;
  /** Presentation times of the frames, in seconds. */
  times: Float64Array;
  found: Map<string, FoundCuts>;
}

export interface CutsRun {
  examined: readonly Examined[];
  split: 'tuning' | 'test';
  seeds: readonly number[];
  backend: string;
  /** Version of PySceneDetect and its speed ratio; null if PySceneDetect was not run. */
  pySceneDetect: { version: string; ratio: string } | null;
}

export const labelled = 'labelled';
const theirs = 'PySceneDetect';

/** Returns the display name of a PySceneDetect detector. */
export function nameOfTheirs(detector: string): string {
  return `${theirs} ${detector}`;
}

/** Prints and writes the table. */
export async function reportCuts(run: CutsRun, folder?: string): Promise<void> {
  const { examined, split } = run;
  const composed = examined.filter(({ kind }) => kind !== labelled);
  const kinds = [...new Set(examined.map(({ kind }) => kind))];
  const groups: [string, readonly Examined[]][] = [
    ['composed, all', composed],
    ...kinds.map((kind): [string, Examined[]] => [kind, examined.filter((one) => one.kind === kind)]),
  ];
  const rows = groups.flatMap(([name, group]) => [...examined[0]!.found.keys()].map((detector) => rowOf(name, detector, group)));
  const pythonFlag = run.pySceneDetect === null ? '' : ' --python <python with scenedetect>';
  await reportTable({
    name: split === 'tuning' ? 'video-cuts-tuning' : 'video-cuts',
    title: `Cuts of videos${split === 'tuning' ? ', tuning seeds' : ''}`,
    command: `node --import tsx bench/video/cuts.ts <folder of clips>${pythonFlag}${split === 'tuning' ? ' --seeds tuning' : ''}`,
    data: `${composed.length} composed clips (seeds ${run.seeds.join(', ')}), ${examined.length - composed.length} real clips; read with ${run.backend}`,
    columns: ['clips', 'detector', 'hard F1 ±1', 'precision', 'recall', 'hard F1 ±3', 'gradual F1', 'gradual recall', 'noticed', 'flash alarms'],
    rows,
    notes: [...notes, ...notesOfTheirs(run), ...(split === 'test' ? [earlier] : [])],
  }, folder);
}

function rowOf(name: string, detector: string, group: readonly Examined[]): string[] {
  const counts = addCounts(group.map(({ found, known }) => scoreCuts(found.get(detector)!, known)));
  const near = rates(counts.near);
  const gradual = rates(counts.gradual);
  const graduals = counts.gradual.found + counts.gradual.missed;
  const hardOnly = detector.startsWith(theirs) || detector === 'fast';
  return [
    name, detector, near.f1.toFixed(3), near.precision.toFixed(3), near.recall.toFixed(3), rates(counts.wide).f1.toFixed(3),
    hardOnly ? '–' : gradual.f1.toFixed(3), hardOnly ? '–' : gradual.recall.toFixed(3),
    `${counts.gradualNoticed} of ${graduals}`, `${counts.flashAlarms} of ${counts.flashes}`,
  ];
}

const notes = [
  'Composed: 13 scenes a clip, half from real takes and half made; 66 % hard cuts, 18 % dissolves of 8 to 24 frames, 16 % fades '
  + 'through black; 12 % of the scenes hold a flash of one frame; 256 × 144, 25 frames a second. Tuning seeds draw from the first '
  + 'half of each real take, test seeds from the second. Weights and thresholds were chosen on tuning seeds. Seeds 101 to 110 were '
  + 'test seeds first, then 201 to 206; a flash taken for a cut led to a correction each time (on further tuning seeds).',
  'Labelled: 19 hard cuts and 14 gradual transitions in six clips, three of which have none (a scratched silent film, a moving '
  + 'camera, a street). These clips were looked at while the detector was made, so they show that it works on them, no more.',
  'A hard cut reported inside a gradual transition counts neither way. A gradual transition is found if it shares half of the '
  + 'shorter of the two spans with the one reported; *noticed*: anything at all was reported there. *balanced* decodes no B-frames, '
  + 'then every frame around each place in question; *fast* reads key frames and packet sizes and knows hard cuts alone.',
  'A tier `fast` that decodes the frames around cuts cannot reach F1 0.85 at 12 times the speed of decoding in all files: even if it knew '
  + 'without any work where the cuts are, it would decode 26.6 % of the frames of the composed clips with a fixed GOP of 50 (at most 3.8 '
  + 'times the speed), 27.1 % of the Sintel trailer (3.7 times), and 8.0 % of the other composed clips (12.5 times), not counting sound and '
  + 'packets (`bench/video/fastBound.ts`). The tier therefore reports no shots; the rows of *fast* show the hints that its selection uses.',
];

/** Figures of the test clips before changes of the detection. */
const earlier = 'Before the halves of a fade through black were joined, *balanced* had a gradual F1 of 0.977 on all composed clips. When cuts to fast '
  + 'motion were told from flashes, *balanced* took one flash for a cut, in a clip with a fixed GOP of 50, until it decoded all frames around a change '
  + 'that is closer than 0.12 s to another.'
  + ' The rows of Vouch were measured again on 2026-11-29 and are the same: the frames that are decoded around the boundaries of segments change no shot of the analysis.';

function notesOfTheirs({ pySceneDetect }: CutsRun): string[] {
  if (pySceneDetect === null) return ['PySceneDetect was not run: no `--python`.'];
  return [
    `PySceneDetect ${pySceneDetect.version} (\`pip install scenedetect\`), with the settings it comes with, and again `
    + `without its shortest scene of 15 frames. Its adaptive detector takes ${pySceneDetect.ratio} times as long as the accurate tier on `
    + '`bbb-1080p.mp4` (30 s of 1080p H.264), decoding included: median of interleaved pairs with its 95 % interval.',
  ];
}
