import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { missingFfmpeg } from '../../packages/video/engine/testing/installedFfmpeg.ts';
import { writeAttacks } from './media/attackFiles.ts';
import { lookAtAll } from './media/lookInProcess.ts';
import { tellEnds, writeMutated, type FileEnd } from './media/mutatedFiles.ts';
import { parseMutated } from './media/mutatedPlaylists.ts';
import { summarizeAll } from './media/throughEngine.ts';
import { traceEngine, whyNoTrace } from './media/traceEngine.ts';

const count = Number(process.env['VOUCH_TEST_FUZZ_MEDIA'] ?? (exhaustive ? 100 : 16));
/** Whole engines with their processes cost some three times the processor time of many files in one process. */
const throughEngine = Math.ceil(count / 4);
let scratch: string;

beforeAll(async () => { scratch = await mkdtemp(join(tmpdir(), 'vouch-fuzz-')); });
afterAll(() => rm(scratch, { recursive: true, force: true }));

const seeds = (from: number, number: number): number[] => Array.from({ length: number }, (_, n) => from + n);

function expectNoFault(ends: readonly FileEnd[], files: number): void {
  console.log(tellEnds(ends));
  expect(ends.filter(({ end }) => end === 'fault')).toEqual([]);
  expect(ends.length).toBe(files);
  // A fuzzer that only makes garbage, or none, shows nothing.
  expect(ends.some(({ end }) => end === 'summarized')).toBe(true);
}

it(`${count - throughEngine} mutated files: each is summarized or refused with a code of the catalogue`, async () => {
  const files = await writeMutated(scratch, seeds(throughEngine, count - throughEngine));
  const ends = await lookAtAll(files, scratch);
  expectNoFault(ends, files.length);
  expect(ends.some(({ end }) => end === 'refused')).toBe(true);
}, 600_000);

it(`${throughEngine} more go through an engine that outlives them, with the libraries from npm`, async () => {
  const files = await writeMutated(scratch, seeds(0, throughEngine));
  expectNoFault(await summarizeAll(files, 'none', scratch), files.length);
}, 600_000);

it(`${count * 4} mutated playlists: each lists allowed addresses or is refused with a code of the catalogue`, () => {
  const ends = parseMutated(seeds(0, count * 4));
  expectNoFault(ends, count * 4);
  expect(ends.some(({ end }) => end === 'refused')).toBe(true);
});

const missing = await missingFfmpeg();
it.skipIf(missing !== null)(`and with an installed ffmpeg${missing === null ? '' : ` (${missing})`}`, async () => {
  const files = await writeMutated(scratch, seeds(count, throughEngine));
  expectNoFault(await summarizeAll(files, null, scratch), files.length);
}, 600_000);

const untraceable = whyNoTrace();
it.skipIf(untraceable !== null)(`files that name other files and addresses reach none of them${untraceable === null ? '' : ` (${untraceable})`}`, async () => {
  const folder = await mkdtemp(join(scratch, 'traced-'));
  const { ends, faults, calls } = await traceEngine(await writeAttacks(folder, 1), missing === null ? null : 'none', folder);
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(1000);
  expect(ends.filter(({ end }) => end === 'fault')).toEqual([]);
}, 600_000);
