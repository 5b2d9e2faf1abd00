import { quantile } from '../../bench/harness/interleave.ts';
import { missingForNetworks } from '../crash/harness/networks.ts';
import { runHostRounds, type HostReport, type HostRound } from '../crash/hosts/hostRounds.ts';
import { missingForPair } from '../crash/hosts/postgresPair.ts';
import type { Read } from '../crash/hosts/readLoad.ts';
import type { Takeover } from '../crash/hosts/takeover.ts';
import { leaseSeconds } from '../crash/harness/place.ts';
import { testS3Endpoint } from '@vouch/platform/testing/testStores';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const minutes = Number(process.env['VOUCH_TEST_HOSTS_MINUTES'] ?? '60');
const seed = 1;
/** Goals. Later times are reported and are no error, because the machine may be busy. */
const freshWithinMs = 5_000;
const takeoverWithinMs = leaseSeconds * 1_000 + 2_000;

export const hosts: HeavyTest = {
  name: 'hosts',
  guarantee: `${minutes} minutes of uploads, trainings, video runs and reads over three servers, three workers, PostgreSQL with a standby, and an S3 store, each with an address of its own, while machines are lost, updated and cut off, PostgreSQL fails over, and the store answers 503: no acknowledged work is lost or done twice, and each read is answered`,
  variables: ['VOUCH_TEST_HOSTS_MINUTES'],
  async skip() {
    if (testS3Endpoint === undefined) return 'needs an S3 store: start tests/scale/startRgw.sh and set the variables that it prints';
    return (await missingForNetworks()) ?? missingForPair();
  },
  async run(print) {
    const report = await runHostRounds(minutes * 60_000, seed, ({ fault, from, to, takeover }) => {
      print(`${seconds(from)}: ${fault}, over after ${seconds(to - from)}${takeover === null ? '' : `, run taken over after ${describeTakeover(takeover)}`}`);
    });
    for (const line of describe(report)) print(line);
    const { work, readFaults } = report;
    expectEqual('faults of reads', readFaults, []);
    for (const harmless of ['a serving machine is updated', 'the store answers 503']) {
      const during = report.rounds.filter(({ fault }) => fault === harmless).flatMap((round) => readsDuring(report, round));
      expectEqual(`reads repeated while ${harmless}`, during.filter(({ failed }) => failed > 0).length, 0);
    }
    expectEqual('lost, doubled, abandoned', [work.lost, work.doubled, work.abandoned], [[], [], []]);
    expectEqual('faults', work.faults, []);
    print(summary(report));
  },
};

function describe({ rounds, reads, freshMs, work, refusedByStore }: HostReport): string[] {
  const takeovers = rounds.flatMap(({ takeover }) => (takeover === null ? [] : [takeover]));
  const repeated = reads.filter(({ failed }) => failed > 0);
  return [
    `${rounds.length} faults; acknowledged ${JSON.stringify(work.acknowledged)}; ended ${JSON.stringify(work.ends)}; ${refusedByStore} requests refused by the store`,
    `${reads.length} reads: p50 ${seconds(quantile(reads.map(({ ms }) => ms), 0.5))}, p99 ${seconds(quantile(reads.map(({ ms }) => ms), 0.99))}; ${repeated.length} needed more than one attempt, the slowest ${seconds(Math.max(0, ...repeated.map(({ ms }) => ms)))}`,
    `new model on every ready server: ${describeTimes(freshMs, freshWithinMs)}`,
    `video run taken over: ${describeTimes(takeovers.map(({ totalMs }) => totalMs), takeoverWithinMs)}; without the time in which each other worker ran a video, or that repeated interruptions postpone: ${describeTimes(takeovers.map(promisedPart), takeoverWithinMs)}`,
    ...rounds.map((round) => {
      const during = readsDuring({ reads }, round);
      return `reads while ${round.fault}: ${during.length}, ${during.filter(({ failed }) => failed > 0).length} repeated, p99 ${seconds(quantile(during.map(({ ms }) => ms), 0.99))}`;
    }),
  ];
}

/** The part of a takeover that is promised: the lease, and the claim by a worker with room. */
function promisedPart({ waits }: Takeover): number {
  return waits.lease + waits.claim;
}

function describeTakeover({ totalMs, waits }: Takeover): string {
  return `${seconds(totalMs)} (${Object.entries(waits).flatMap(([what, ms]) => (ms === 0 ? [] : [`${what} ${seconds(ms)}`])).join(', ')})`;
}

function readsDuring({ reads }: Pick<HostReport, 'reads'>, { from, to }: HostRound): Read[] {
  return reads.filter(({ at }) => at >= from && at <= to);
}

function summary({ rounds, reads, work, freshMs }: HostReport): string {
  const acknowledged = Object.values(work.acknowledged).reduce((sum, count) => sum + count, 0);
  return `${rounds.length} faults; ${acknowledged} acknowledged uploads, trainings and runs: 0 lost, 0 twice; ${reads.length} reads, all answered; new model on every server: ${describeTimes(freshMs, freshWithinMs)}`;
}

function describeTimes(times: readonly number[], promisedMs: number): string {
  if (times.length === 0) return 'never measured';
  return `${times.length} times, p50 ${seconds(quantile(times, 0.5))}, max ${seconds(Math.max(...times))}, ${times.filter((ms) => ms > promisedMs).length} over ${seconds(promisedMs)}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(milliseconds < 100 ? 3 : 1)} s`;
}
