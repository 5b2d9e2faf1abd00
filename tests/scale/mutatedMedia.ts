import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingFfmpeg } from '../../packages/video/engine/testing/installedFfmpeg.ts';
import { writeAttacks } from '../fuzz/media/attackFiles.ts';
import { lookAtAll } from '../fuzz/media/lookInProcess.ts';
import { tellEnds, writeMutated, type FileEnd, type MutatedFile } from '../fuzz/media/mutatedFiles.ts';
import { parseMutated } from '../fuzz/media/mutatedPlaylists.ts';
import { summarizeAll } from '../fuzz/media/throughEngine.ts';
import { traceEngine, whyNoTrace } from '../fuzz/media/traceEngine.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const total = Number(process.env['VOUCH_TEST_FUZZ_MEDIA'] ?? 10_000);
/**
 * Number of files that complete engines process with the npm libraries. The other files are examined in shared processes, which
 * takes a third of the CPU time.
 */
const wholeFromNpm = Math.floor(total / 4);
const filesAtOnce = 250;
/** Files between two lines of progress: some minutes. */
const toldFiles = 500;
const traced = 100;

type Look = (files: readonly MutatedFile[], scratch: string) => Promise<FileEnd[]>;

export const mutatedMedia: HeavyTest = {
  name: 'mutatedMedia',
  guarantee: 'each of 10,000 mutated media files (or VOUCH_TEST_FUZZ_MEDIA), and as many playlists, is summarized or refused with a code of the catalogue, and no engine dies of one',
  variables: ['VOUCH_TEST_FUZZ_MEDIA'],
  skip: async () => null,
  async run(print) {
    const missing = await missingFfmpeg();
    if (missing !== null) print(`only with the libraries from npm: ${missing}`);
    const installed = missing === null ? Math.floor(total / 2) : 0;
    const looks: [string, number, Look][] = [
      ['an installed ffmpeg', installed, (files, scratch) => summarizeAll(files, null, scratch)],
      ['the libraries from npm', wholeFromNpm, (files, scratch) => summarizeAll(files, 'none', scratch)],
      ['the libraries from npm, many files in one process', total - installed - wholeFromNpm, lookAtAll],
    ];
    let first = 10_000;
    const all: FileEnd[] = [];
    for (const [title, count, look] of looks) {
      const ends = await lookInParts(first, count, look, (done) => print(`${title}: ${done} of ${count} files`));
      first += count;
      all.push(...ends);
      print(`${title}: ${ends.length} files: ${tellEnds(ends)}`);
      expectEqual(`faults with ${title}`, ends.filter(({ end }) => end === 'fault'), []);
      expectEqual(`files with ${title}`, ends.length, count);
    }
    const playlists = parseMutated(Array.from({ length: total }, (_, n) => 10_000 + n));
    expectEqual('faults with playlists', playlists.filter(({ end }) => end === 'fault'), []);
    const count = (ends: readonly FileEnd[], wanted: FileEnd['end']): string => ends.filter(({ end }) => end === wanted).length.toLocaleString('en');
    print(`${all.length.toLocaleString('en')} files: ${count(all, 'summarized')} summarized, ${count(all, 'refused')} refused, ${count(all, 'fault')} faults; `
      + `${playlists.length.toLocaleString('en')} playlists: ${count(playlists, 'summarized')} read, ${count(playlists, 'refused')} refused, ${count(playlists, 'fault')} faults`);
  },
};

async function lookInParts(first: number, count: number, look: Look, tell: (done: number) => void): Promise<FileEnd[]> {
  const ends: FileEnd[] = [];
  while (ends.length < count) {
    const seeds = Array.from({ length: Math.min(filesAtOnce, count - ends.length) }, (_, n) => first + ends.length + n);
    ends.push(...await inScratch(async (scratch) => look(await writeMutated(scratch, seeds), scratch)));
    if (ends.length % toldFiles === 0 && ends.length < count) tell(ends.length);
  }
  return ends;
}

export const tracedMedia: HeavyTest = {
  name: 'tracedMedia',
  guarantee: 'of 100 attacking and mutated media files none makes an engine reach for the network or for a file outside its run',
  skip: async () => whyNoTrace(),
  async run(print) {
    const missing = await missingFfmpeg();
    for (const backend of missing === null ? [null, 'none'] : ['none']) {
      await inScratch(async (scratch) => {
        const attacks = await writeAttacks(scratch, 1);
        const mutated = await writeMutated(scratch, Array.from({ length: traced - attacks.length }, (_, n) => 50_000 + n));
        const { ends, faults, calls, connects } = await traceEngine([...attacks, ...mutated], backend, scratch);
        print(`${backend === null ? 'an installed ffmpeg' : 'the libraries from npm'}: ${calls} calls, ${connects} of them to local sockets: ${tellEnds(ends)}`);
        expectEqual('calls to what is not the run\'s', faults, []);
        expectEqual('faults', ends.filter(({ end }) => end === 'fault'), []);
      });
    }
  },
};

async function inScratch<Result>(work: (scratch: string) => Promise<Result>): Promise<Result> {
  const scratch = await mkdtemp(join(tmpdir(), 'vouch-mutated-'));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
