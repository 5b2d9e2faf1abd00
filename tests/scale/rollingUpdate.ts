import { access } from 'node:fs/promises';
import { quantile } from '../../bench/harness/interleave.ts';
import { runRollingUpdate, type UpdateReport } from '../crash/hosts/rollingUpdate.ts';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Path of the program of an earlier release, or ''. */
export const earlierProgram = process.env['VOUCH_TEST_EARLIER'] ?? '';
const seed = 1;

/** Why an update from an earlier release cannot be tested on this machine; null if it can. */
export async function missingEarlier(): Promise<string | null> {
  if (process.platform === 'win32') return 'needs Linux or macOS';
  const isThere = await access(earlierProgram).then(() => true, () => false);
  return isThere ? null : `needs the program of an earlier release: check it out in another folder, run npm ci and npm run build there, and set VOUCH_TEST_EARLIER to its dist/vouch.js${earlierProgram === '' ? '' : ` (${earlierProgram} is not there)`}`;
}

export const rollingUpdate: HeavyTest = {
  name: 'rollingUpdate',
  guarantee: 'three servers and two workers of an earlier release are replaced one after the other with this one, and back, under uploads, trainings, video runs, cancels and reads: no request has to be repeated, and no acknowledged work is lost or done twice',
  skip: missingEarlier,
  async run(print) {
    const report = await runRollingUpdate(earlierProgram, seed, ({ role, to, at, seconds }) => print(`${(at / 1_000).toFixed(1)} s: a ${role} gets the ${to} program, in ${seconds.toFixed(1)} s`));
    const { reads, repeated, readFaults, work } = report;
    for (const each of repeated.slice(0, 20)) print(`repeated: ${each}`);
    print(`acknowledged ${JSON.stringify(work.acknowledged)}; ended ${JSON.stringify(work.ends)}; reads: p50 ${Math.round(quantile(reads.map(({ ms }) => ms), 0.5))} ms, p99 ${Math.round(quantile(reads.map(({ ms }) => ms), 0.99))} ms`);
    expectEqual('faults', [...readFaults, ...work.faults], []);
    expectEqual('lost, doubled, abandoned', [work.lost, work.doubled, work.abandoned], [[], [], []]);
    expectEqual('repeated requests', repeated, []);
    print(summary(report));
  },
};

function summary({ updates, reads, work }: UpdateReport): string {
  const acknowledged = Object.values(work.acknowledged).reduce((sum, count) => sum + count, 0);
  return `${updates.length} services updated; ${acknowledged} acknowledged uploads, trainings and runs: 0 lost, 0 twice; ${reads.length} reads; 0 requests repeated`;
}
