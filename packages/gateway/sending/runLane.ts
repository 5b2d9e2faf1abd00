import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Database } from '@vouch/platform/database/database';
import type { Lease } from '@vouch/platform/lease/lease';
import { standForLease } from '@vouch/platform/lease/standForLease';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { dropStaleClaims } from '../batching/claimStore.ts';
import type { LaneContext } from './laneContext.ts';
import { leaseName, writeLane, writeUnreached } from '../lanes/laneStore.ts';
import { advanceLane, type Rest } from './advanceLane.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** After a step that failed. */
const retryMs = 1_000;
/** A claim is held for seconds; one this old belongs to nobody. */
const staleClaimMs = 120_000;

export interface LaneOptions {
  database: Database;
  doors: SystemInterfaces;
  log: Logger;
  rpc: RpcClient;
  lane: RelayerLane;
  /** Prepares the lane once it is known that this process writes it; asks the chain. */
  open(lease: Lease, rpc: RpcClient): Promise<LaneContext>;
  /** Before each step; aborts the signal where the chain of the lane is no longer there. */
  check(): Promise<void>;
  /** Sleeps as long as a step said. */
  rest(rest: Rest): Promise<void>;
  /** Told when this process begins and ends to write the lane. */
  writing(now: boolean): void;
  signal: AbortSignal;
}

/**
 * Writes one key's transactions for as long as this process holds the key's lease, and stands by otherwise. Whatever fails is tried
 * again; nothing ends it but the signal.
 */
export async function runLane(options: LaneOptions): Promise<void> {
  const { database, doors, log, rpc, lane, writing, signal } = options;
  const ready = async (): Promise<void> => {
    try {
      await rpc.request('eth_blockNumber', [], signal);
    } catch (error) {
      // Nobody may write it now: then it is known why.
      if (!signal.aborted) await writeUnreached(database, lane, (error as Error).message, new Date(doors.clock.now()));
      throw error;
    }
  };
  await standForLease({ database, name: leaseName(lane), doors, log, ready, signal }, async (lease, stopped) => {
    writing(true);
    try {
      await writeWhileHeld(options, lease, stopped);
    } finally {
      writing(false);
    }
  });
}

async function writeWhileHeld({ doors, log, rpc, open, check, rest }: LaneOptions, lease: Lease, signal: AbortSignal): Promise<void> {
  const context = await open(lease, noteAnswers(rpc, () => lease.progress('part')));
  const { lane } = context;
  const dropClaims = async (): Promise<void> => void (await dropStaleClaims(lease, lane, new Date(doors.clock.now() - staleClaimMs)));
  await dropClaims();
  log.info({ relayer: lane.relayer, deployment: lane.deployment }, 'writing the transactions of a relayer key');
  while (!signal.aborted) {
    try {
      await check();
      if (signal.aborted) return;
      const next = await advanceLane(context, signal);
      lease.progress('step');
      await rest(next);
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      log.warn({ reason, relayer: lane.relayer }, 'a step of a relayer lane failed; the step is tried again');
      // A process that cannot do the work leaves it to one that can.
      lease.failed();
      // Whatever failed, the next step asks the chain: an idle key would be shown as paused until its next look, up to 3 s later.
      context.lastLook.nextMs = 0;
      await writeLane(lease, lane, { because: 'chain', reason }, null, new Date(doors.clock.now()));
      await doors.timers.sleep(retryMs, signal);
      await dropClaims();
    }
  }
}

/** An RPC that tells of every answer, also of those that refuse. */
function noteAnswers(rpc: RpcClient, answered: () => void): RpcClient {
  const noted = async <Result>(answer: Promise<Result>): Promise<Result> => {
    const result = await answer;
    answered();
    return result;
  };
  return {
    request: (method, params, signal) => noted(rpc.request(method, params, signal)),
    ask: (method, params, parse, signal) => noted(rpc.ask(method, params, parse, signal)),
    batch: (calls, signal) => noted(rpc.batch(calls, signal)),
    endpoints: () => rpc.endpoints(),
    close: () => rpc.close(),
  };
}
