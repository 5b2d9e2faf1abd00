import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { Database } from '@vouch/platform/database/database';
import type { Lease } from '@vouch/platform/lease/lease';
import { standForLease } from '@vouch/platform/lease/standForLease';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { dropStaleClaims } from '../batching/claimStore.ts';
import type { LaneContext } from './laneContext.ts';
import type { RowTidier } from '../retention/tidyRows.ts';
import type { MessageTracer } from './tracing/traceEnded.ts';
import { deploymentOf, leaseGroup, leaseName, writeLane, writeStandby } from '../lanes/laneStore.ts';
import { advanceLane, type Rest } from './advanceLane.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** Pause in ms after a failed step. */
const retryMs = 1_000;
/** Claims normally last seconds; an older claim has no writer. */
const staleClaimMs = 120_000;

/** Dependencies of `runLane`. */
export interface LaneOptions {
  database: Database;
  system: SystemInterfaces;
  log: Logger;
  rpc: RpcClient;
  lane: RelayerLane;
  /** Prepares the lane after this process got the lease; reads the chain. */
  open(lease: Lease, rpc: RpcClient): Promise<LaneContext>;
  /** Runs before each step; aborts `signal` if the endpoints now serve another chain. */
  check(): Promise<void>;
  /** Counts and removes ended rows between the steps. */
  tidier: RowTidier;
  /** Null if the process sends no traces. */
  messageTracer: MessageTracer | null;
  /** Sleeps until the next step. */
  rest(rest: Rest): Promise<void>;
  /** Called when this process becomes or stops being the lane's writer. */
  writing(now: boolean): void;
  signal: AbortSignal;
}

/**
 * Sends one key's transactions while this process holds the key's lease, and waits for the lease otherwise. Failed steps are
 * retried; only `signal` ends the function.
 */
export async function runLane(options: LaneOptions): Promise<void> {
  const { database, system, log, rpc, lane, check, writing, signal } = options;
  const ready = async (): Promise<void> => {
    try {
      await rpc.request('eth_blockNumber', [], signal);
      await check();
    } catch (error) {
      // The lane may have no writer at all; the stored reason then explains why.
      if (!signal.aborted) await writeStandby(database, lane, { because: 'chain', reason: (error as Error).message }, new Date(system.clock.now()));
      throw error;
    }
  };
  let told: string | null = null;
  const occupied = async (rival: string): Promise<void> => {
    const owner = deploymentOf(rival);
    if (told !== owner) log.error({ relayer: lane.relayer, deployment: lane.deployment, owner }, 'the relayer key sends nothing for this deployment: another deployment on the same chain uses it; give each deployment keys of its own');
    told = owner;
    await writeStandby(database, lane, { because: 'key-in-use', deployment: owner }, new Date(system.clock.now()));
  };
  await standForLease({ database, name: leaseName(lane), group: leaseGroup(lane), system, log, ready, occupied, signal }, async (lease, stopped) => {
    told = null;
    writing(true);
    try {
      await writeWhileHeld(options, lease, stopped);
    } finally {
      writing(false);
    }
  });
}

async function writeWhileHeld({ system, log, rpc, open, check, tidier, messageTracer, rest }: LaneOptions, lease: Lease, signal: AbortSignal): Promise<void> {
  let failures = 0;
  let reached = true;
  const context = await open(lease, noteAnswers(rpc, (answered) => {
    reached = answered;
    // The failure counts before the step ends: until then, the step still cleans up in the database, which is no progress. An answer refutes the
    // failure of a call; the failure of a step is refuted by a completed step only.
    if (answered) lease.progress(failures === 0 ? 'step' : 'part');
    else lease.failed();
  }));
  const { lane } = context;
  const dropClaims = async (): Promise<void> => void (await dropStaleClaims(lease, lane, new Date(system.clock.now() - staleClaimMs)));
  await dropClaims();
  log.info({ relayer: lane.relayer, deployment: lane.deployment }, 'writing the transactions of a relayer key');
  while (!signal.aborted) {
    try {
      await check();
      if (signal.aborted) return;
      const next = await advanceLane(context, signal);
      await tidier.tidy({ database: lease, log, clock: system.clock, elapsedMs: system.elapsedMs }, signal);
      await messageTracer?.trace({ database: lease, deployment: lane.deployment, log, elapsedMs: system.elapsedMs }, signal);
      // A step can complete although its last call got no answer, for example a call of the activity reporter. The next step then reads the chain.
      if (reached) lease.progress('step');
      else context.lastLook.nextMs = -Infinity;
      failures = 0;
      await rest(next);
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      log.warn({ reason, relayer: lane.relayer }, 'a step of a relayer lane failed; the gateway retries the step');
      // After repeated failures the lease passes to a process that can do the work.
      lease.failed();
      // Without this reset, an idle key would be shown as paused for up to 3 s after the chain is back.
      context.lastLook.nextMs = -Infinity;
      failures += 1;
      // One slow or contradicting answer is no outage: the key is paused only if the retry fails too.
      if (failures > 1) await writeLane(lease, lane, { because: 'chain', reason }, null, new Date(system.clock.now()));
      await system.timers.sleep(retryMs, signal);
      await dropClaims();
    }
  }
}

/** Wraps an RPC client and calls `note` after every call: true after an answer, including error responses inside a batch; false if no endpoint answered. */
function noteAnswers(rpc: RpcClient, note: (answered: boolean) => void): RpcClient {
  const noted = async <Result>(answer: Promise<Result>): Promise<Result> => {
    try {
      const result = await answer;
      note(true);
      return result;
    } catch (error) {
      if (error instanceof RpcUnavailable) note(false);
      throw error;
    }
  };
  return {
    request: (method, params, signal) => noted(rpc.request(method, params, signal)),
    ask: (method, params, parse, signal) => noted(rpc.ask(method, params, parse, signal)),
    batch: (calls, signal) => noted(rpc.batch(calls, signal)),
    endpoints: () => rpc.endpoints(),
    close: () => rpc.close(),
  };
}
