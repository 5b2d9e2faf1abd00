import { fetchContractDay, decodeCredits, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import type { TestDeploymentOptions } from '@vouch/chain/testing/testDeployment';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, type Block } from '@vouch/chain/rpc/chainReads';
import { BlockRange } from '@vouch/chain/rpc/blockRange';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { systemInterfaces, type Timers } from '@vouch/platform/process/systemInterfaces';
import { privateKeyToAddress } from 'viem/accounts';
import { fromHex } from '../requests/storedOperation.ts';
import { nextDayMs } from '../budgets/budget.ts';
import type { Pipeline } from '../sending/startPipeline.ts';
import { openTestGateway, type StartOptions, type TestGateway } from './testGateway.ts';

/** Seconds that a node must be active in a day of these tests. */
export const minOnline = 600;

/** The gas of an activity reporter is counted by UTC day. A test takes minutes, and moves its clock by less than an hour. */
const testMs = 2 * 3_600_000;

/** Shortens the writer's pauses between steps to a third; the pauses do not affect results. */
const shortRests: Timers = {
  ...systemInterfaces.timers,
  sleep: (milliseconds, ...more) => systemInterfaces.timers.sleep(milliseconds <= 300 ? milliseconds / 3 : milliseconds, ...more),
};

/** A gateway with its activity reporter and a movable clock; the activity reporter reads the chain at most every 15 s. */
export interface ReporterWorld {
  gateway: TestGateway;
  start(options?: Pick<StartOptions, 'rpc' | 'settings' | 'keys'>): Pipeline;
  /** The activity reporters' clock, in milliseconds since 1970. The UTC day does not end during a test. */
  now(): number;
  /** The contract's day of the newest block. */
  today(): Promise<ContractDay>;
  /** All credits by the contract's events, oldest first. */
  credits(): Promise<{ node: Hex; date: number }[]>;
  /** Repeatedly moves the activity reporter's clock by 16 s and waits for the writers' next step, until `holds` returns true. */
  until(holds: () => Promise<boolean>): Promise<void>;
  /** Lets every activity reporter read days and attestations at least twice. */
  looks(): Promise<void>;
  /** Number of the activity reporter's transactions. */
  sent(purpose: 'activity' | 'randomness' | 'conclusion', state?: string): Promise<number>;
}

/** Opens a test world at the start of a contract day, so that no day ends during the test. */
export async function openReporterWorld(options: TestDeploymentOptions = {}): Promise<ReporterWorld> {
  const untilTomorrowMs = nextDayMs(Date.now()) - Date.now();
  let aheadMs = untilTomorrowMs < testMs ? untilTomorrowMs : 0;
  const gateway = await openTestGateway({ ...options, rules: { minOnline, ...options.rules } });
  const { rpc, contracts } = gateway.chain;
  const now = (): number => Date.now() + aheadMs;
  const newest = async (): Promise<Block> => (await getBlock(rpc, 'latest')) as Block;

  /** Moves the activity reporters' clock; returns when every running key has finished a step at the new time. */
  async function pass(milliseconds: number): Promise<void> {
    aheadMs += milliseconds;
    const moved = new Date(now());
    for (const pipeline of running.keys()) pipeline.wake();
    const stepped = 'select 1 from gateway_lines where relayer = any($1) and updated_at >= $2';
    for (;;) {
      const relayers = [...new Set([...running.values()].flat())];
      if ((await gateway.database.query(stepped, [relayers.map(fromHex), moved])).rowCount === relayers.length) return;
      await systemInterfaces.timers.sleep(20);
    }
  }

  const running = new Map<Pipeline, Hex[]>();
  const world: ReporterWorld = {
    gateway,
    start({ settings = {}, ...more } = {}) {
      const pipeline = gateway.start({ ...more, settings: { keeper: true, ...settings }, now, elapsedMs: systemInterfaces.elapsedMs, timers: shortRests });
      running.set(pipeline, (more.keys ?? [gateway.chain.relayer.privateKey]).map(privateKeyToAddress));
      return { ...pipeline, close: () => {
        running.delete(pipeline);
        return pipeline.close();
      } };
    },
    now,
    today: async () => (await fetchContractDay(rpc, contracts.service, await newest())) as ContractDay,
    async credits() {
      const found = [];
      for await (const { logs } of scanLogs(rpc, { address: contracts.service, fromBlock: 0, toBlock: (await newest()).number, range: new BlockRange(10_000) })) {
        found.push(...decodeCredits(logs, contracts.service));
      }
      return found;
    },
    async until(holds) {
      while (!(await holds())) await pass(16_000);
    },
    async looks() {
      // 61 s exceed the minute between two reads of attestations; the first step may have begun before the clock moved.
      for (let count = 0; count < 3; count += 1) await pass(61_000);
    },
    async sent(purpose, state) {
      const { rowCount } = await gateway.database.query(
        'select 1 from gateway_batches where purpose = $1 and ($2::text is null or state = $2)', [purpose, state ?? null]);
      return rowCount ?? 0;
    },
  };
  const { begin, lengthSeconds } = await world.today();
  await gateway.chain.increaseTime(begin + lengthSeconds - (await newest()).timestamp + 1);
  return world;
}
