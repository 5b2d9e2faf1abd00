import type { Database } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Doors } from '@vouch/platform/process/doors';
import { dropStaleClaims } from '../batching/claimStore.ts';
import type { LineContext } from './lineContext.ts';
import { writeLine } from './lineStore.ts';
import { stepLine, type Rest } from './stepLine.ts';

/** After a step that failed, and before the next try to become the writer. */
const retryMs = 1_000;
/** A claim is held for seconds; one this old belongs to nobody. */
const staleClaimMs = 120_000;

export interface LineOptions {
  database: Database;
  doors: Doors;
  log: Logger;
  /** Prepares the line once it is known that this process writes it; asks the chain. */
  open(): Promise<LineContext>;
  /** Name of the election. */
  election: string;
  /** Before each step; aborts the signal where the line is one of a chain that is no longer there. */
  check(): Promise<void>;
  /** Sleeps as long as a step said. */
  rest(rest: Rest): Promise<void>;
  signal: AbortSignal;
}

/**
 * Writes one key's transactions for as long as this process is its elected writer, and stands for election otherwise. Whatever
 * fails is tried again; nothing ends it but the signal.
 */
export async function runLine(options: LineOptions): Promise<void> {
  const { database, doors, log, election, signal } = options;
  while (!signal.aborted) {
    try {
      await database.elect(election, (lost) => writeWhileElected(options, AbortSignal.any([lost, signal])));
    } catch (error) {
      if (!signal.aborted) log.warn({ reason: (error as Error).message, election }, 'a relayer line was interrupted; it begins anew');
    }
    await doors.timers.sleep(retryMs, signal);
  }
}

async function writeWhileElected({ doors, log, open, check, rest }: LineOptions, signal: AbortSignal): Promise<void> {
  const context = await open();
  const { database, line } = context;
  const dropClaims = async (): Promise<void> => void (await dropStaleClaims(database, line, new Date(doors.clock.now() - staleClaimMs)));
  await dropClaims();
  log.info({ relayer: line.relayer, deployment: line.deployment }, 'writing the transactions of a relayer key');
  while (!signal.aborted) {
    try {
      await check();
      if (!signal.aborted) await rest(await stepLine(context, signal));
    } catch (error) {
      if (signal.aborted) return;
      const reason = (error as Error).message;
      log.warn({ reason, relayer: line.relayer }, 'a step of a relayer line failed; it is tried again');
      // Whatever failed, the next step asks the chain: an idle key would be shown as paused until its next look, up to 15 s later.
      context.looked.nextMs = 0;
      await writeLine(database, line, { because: 'chain', reason }, null, new Date(doors.clock.now()));
      await doors.timers.sleep(retryMs, signal);
      await dropClaims();
    }
  }
}
