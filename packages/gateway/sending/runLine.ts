import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Database } from '@vouch/platform/database/database';
import type { Lease } from '@vouch/platform/lease/lease';
import { standForLease } from '@vouch/platform/lease/standForLease';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { dropStaleClaims } from '../batching/claimStore.ts';
import type { LineContext } from './lineContext.ts';
import { leaseName, writeLine, writeUnreached } from '../lanes/laneStore.ts';
import { stepLine, type Rest } from './stepLine.ts';
import type { RelayerLane } from '../lanes/relayerLane.ts';

/** After a step that failed. */
const retryMs = 1_000;
/** A claim is held for seconds; one this old belongs to nobody. */
const staleClaimMs = 120_000;

export interface LineOptions {
  database: Database;
  doors: SystemInterfaces;
  log: Logger;
  rpc: RpcClient;
  line: RelayerLane;
  /** Prepares the line once it is known that this process writes it; asks the chain. */
  open(lease: Lease, rpc: RpcClient): Promise<LineContext>;
  /** Before each step; aborts the signal where the line is one of a chain that is no longer there. */
  check(): Promise<void>;
  /** Sleeps as long as a step said. */
  rest(rest: Rest): Promise<void>;
  /** Told when this process begins and ends to write the line. */
  writing(now: boolean): void;
  signal: AbortSignal;
}

/**
 * Writes one key's transactions for as long as this process holds the key's lease, and stands by otherwise. Whatever fails is tried
 * again; nothing ends it but the signal.
 */
export async function runLine(options: LineOptions): Promise<void> {
  const { database, doors, log, rpc, line, writing, signal } = options;
  const ready = async (): Promise<void> => {
    try {
      await rpc.request('eth_blockNumber', [], signal);
    } catch (error) {
      // Nobody may write it now: then it is known why.
      if (!signal.aborted) await writeUnreached(database, line, (error as Error).message, new Date(doors.clock.now()));
      throw error;
    }
  };
  await standForLease({ database, name: leaseName(line), doors, log, ready, signal }, async (lease, stopped) => {
    writing(true);
    try {
      await writeWhileHeld(options, lease, stopped);
    } finally {
      writing(false);
    }
  });
}

async function writeWhileHeld({ doors, log, rpc, open, check, rest }: LineOptions, lease: Lease, signal: AbortSignal): Promise<void> {
  const context = await open(lease, noteAnswers(rpc, () => lease.progress('part')));
  const { line } = context;
  const dropClaims = async (): Promise<void> => void (await dropStaleClaims(lease, line, new Date(doors.clock.now() - staleClaimMs)));
  await dropClaims();
  log.info({ relayer: line.relayer, deployment: line.deployment }, 'writing the transactions of a relayer key');
  while (!signal.aborted) {
    try {
      await check();
      if (signal.aborted) return;
      const next = await stepLine(context, signal);
      lease.progress('step');
      await rest(next);
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      log.warn({ reason, relayer: line.relayer }, 'a step of a relayer line failed; it is tried again');
      // A process that cannot do the work leaves it to one that can.
      lease.failed();
      // Whatever failed, the next step asks the chain: an idle key would be shown as paused until its next look, up to 3 s later.
      context.looked.nextMs = 0;
      await writeLine(lease, line, { because: 'chain', reason }, null, new Date(doors.clock.now()));
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
