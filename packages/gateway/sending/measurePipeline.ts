import type { Hex, OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/doors';
import { Gauge, type Registry } from 'prom-client';
import { readGasSaved, savedFormula } from '../confirming/gasBill.ts';
import { countUnderWay } from '../requests/countUnderWay.ts';
import { readKeyLeases, readLines } from './lineStore.ts';

export interface PipelineMeasures {
  metrics: Registry;
  connection: Connection;
  clock: Clock;
  log: Logger;
  /** Rejects while the chain was never reached. */
  deployment(): Promise<string>;
  /** The keys of this process, and whether it writes their transactions now. */
  written: ReadonlyMap<Hex, boolean>;
}

/** Adds the pipeline's numbers to the metrics. All are read from the database when they are asked for, so every process tells the same. */
export function measurePipeline({ metrics, connection, clock, log, deployment, written }: PipelineMeasures): void {
  const gauge = (name: string, help: string, labels: string[], fill: (gauge: Gauge, name: string) => Promise<void>): void => {
    const made: Gauge = new Gauge({
      name, help, labelNames: labels, registers: [metrics],
      async collect() {
        made.reset();
        // Without database or chain the other metrics must still be answered: these are then absent.
        await deployment().then((of) => fill(made, of)).catch((error: unknown) => log.warn({ reason: (error as Error).message }, `${name} could not be read`));
      },
    });
  };
  gauge('vouch_gateway_queue_depth', 'Accepted messages that wait for a transaction.', ['kind'], async (each, of) => {
    for (const [kind, count] of Object.entries(await countQueued(connection, of))) each.set({ kind }, count);
  });
  gauge('vouch_gateway_oldest_seconds', 'Age of the oldest accepted message that has not ended.', [], async (each, of) => {
    each.set(await ageOfOldest(connection, of, clock));
  });
  gauge('vouch_gateway_batches', 'Transactions by state.', ['state'], async (each, of) => {
    for (const { state, count } of await countBatches(connection, of)) each.set({ state }, count);
  });
  gauge('vouch_gateway_gas_used', 'Gas of all receipts.', [], async (each, of) => {
    each.set(Number((await readGasSaved(connection, of)).gasUsed));
  });
  gauge('vouch_gateway_gas_saved', `Gas saved: ${savedFormula}.`, [], async (each, of) => {
    each.set(Number((await readGasSaved(connection, of)).gasSaved));
  });
  gauge('vouch_gateway_balance_eth', 'Balance of each relayer key when it last looked.', ['relayer'], async (each, of) => {
    for (const { relayer, balanceWei } of await readLines(connection, of)) if (balanceWei !== null) each.set({ relayer }, Number(balanceWei) / 1e18);
  });
  gauge('vouch_gateway_paused', '1 where a relayer key starts nothing new, with the code of the reason.', ['relayer', 'code'], async (each, of) => {
    for (const { relayer, state, pauseCode } of await readLines(connection, of)) each.set({ relayer, code: pauseCode ?? '' }, state === 'paused' ? 1 : 0);
  });
  const leader = new Gauge({
    name: 'vouch_gateway_leader', help: '1 where this process writes the transactions of the relayer key, 0 where it stands by.', labelNames: ['relayer'],
    registers: [metrics],
    collect: () => { for (const [relayer, writes] of written) leader.set({ relayer }, writes ? 1 : 0); },
  });
  gauge('vouch_gateway_takeovers', 'Times that a process became the writer of a relayer key, over all processes.', ['relayer'], async (each, of) => {
    for (const { relayer, takings } of await readKeyLeases(connection, of)) each.set({ relayer }, takings);
  });
  gauge('vouch_gateway_lease_age_seconds', 'Since the writer of a relayer key last renewed its lease; over 8 the key has no writer.', ['relayer'], async (each, of) => {
    for (const { relayer, ageSeconds } of await readKeyLeases(connection, of)) if (ageSeconds !== null) each.set({ relayer }, ageSeconds);
  });
}

async function countQueued(connection: Connection, deployment: string): Promise<Record<OperationKind, number>> {
  const { rows } = await connection.query<{ kind: OperationKind; count: number }>(
    `select kind, count(*)::int as count from gateway_requests where deployment = $1 and state = 'verified' group by kind`, [deployment]);
  return { enter: 0, exit: 0, commission: 0, claimer: 0, report: 0, ...Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) };
}

/** In seconds; 0 where every message has ended. */
async function ageOfOldest(connection: Connection, deployment: string, clock: Clock): Promise<number> {
  const { verified } = await countUnderWay(connection, deployment);
  return verified === null ? 0 : Math.max(0, clock.now() - verified.getTime()) / 1_000;
}

async function countBatches(connection: Connection, deployment: string): Promise<{ state: string; count: number }[]> {
  return (await connection.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from gateway_batches where deployment = $1 group by state', [deployment])).rows;
}
