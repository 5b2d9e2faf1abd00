import { readContractDay, readCredits, type ContractDay } from '@vouch/chain/contracts/service/dayViews';
import type { TestDeploymentOptions } from '@vouch/chain/devnet/testDeployment';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, type Block } from '@vouch/chain/rpc/chainReads';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { realDoors } from '@vouch/platform/process/doors';
import type { Pipeline } from '../sending/startPipeline.ts';
import { openTestGateway, type StartOptions, type TestGateway } from './testGateway.ts';


/** Seconds that a node has to be active in a day of these tests. */
export const minOnline = 600;

/** A gateway with its keeper, whose clock the test moves on: the keeper looks at the chain every 15 s at most. */
export interface KeeperWorld {
  gateway: TestGateway;
  start(options?: Pick<StartOptions, 'rpc' | 'settings' | 'keys'>): Pipeline;
  /** The day of the contract that the newest block belongs to. */
  today(): Promise<ContractDay>;
  /** Every day that the contract's events credit, oldest first. */
  credits(): Promise<{ node: Hex; date: number }[]>;
  /** Lets a quarter of a minute pass by the keeper's clock, again and again, until what is asked for holds. */
  until(holds: () => Promise<boolean>): Promise<void>;
  /** Lets the keeper look at the chain several times. */
  looks(): Promise<void>;
  /** Transactions of the keeper. */
  sent(purpose: 'activity' | 'randomness' | 'conclusion', state?: string): Promise<number>;
}

/** Opens it in a day that has begun, so that none ends within the test. */
export async function openKeeperWorld(options: TestDeploymentOptions = {}): Promise<KeeperWorld> {
  let aheadMs = 0;
  const gateway = await openTestGateway({ ...options, rules: { minOnline, ...options.rules } });
  const { rpc, contracts } = gateway.chain;
  const newest = async (): Promise<Block> => (await getBlock(rpc, 'latest')) as Block;

  async function pass(): Promise<void> {
    aheadMs += 16_000;
    await realDoors.timers.sleep(300);
  }

  const world: KeeperWorld = {
    gateway,
    start: ({ settings = {}, ...more } = {}) => gateway.start({ ...more, settings: { keeper: true, ...settings }, now: () => Date.now() + aheadMs }),
    today: async () => (await readContractDay(rpc, contracts.service, await newest())) as ContractDay,
    async credits() {
      const found = [];
      for await (const { logs } of scanLogs(rpc, { address: contracts.service, fromBlock: 0, toBlock: (await newest()).number, blocksMax: 10_000 })) {
        found.push(...readCredits(logs, contracts.service));
      }
      return found;
    },
    async until(holds) {
      while (!(await holds())) await pass();
    },
    async looks() {
      for (let count = 0; count < 8; count += 1) await pass();
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
