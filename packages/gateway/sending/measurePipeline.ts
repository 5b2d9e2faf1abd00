import type { Hex, OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Registry } from 'prom-client';
import { loadTotals } from '../retention/totalsStore.ts';
import { addDeploymentGauge, type SetGauge } from '../deployments/deploymentGauges.ts';
import { countUnderWay } from '../requests/countUnderWay.ts';
import { listKeyLeases, listLanes } from '../lanes/laneStore.ts';

/** Dependencies of the pipeline's metrics. */
export interface PipelineMeasures {
  metrics: Registry;
  connection: Connection;
  clock: Clock;
  log: Logger;
  /** Name of the deployment in the settings. */
  name: string;
  /** Deployment name of the rows; rejects until the chain was first reached. */
  deployment(): Promise<string>;
  /** The keys of this process, and whether this process is the key's writer now. */
  written: ReadonlyMap<Hex, boolean>;
}

/**
 * Registers the pipeline's metrics. Each scrape reads the database, so every process reports the same values; only
 * `vouch_gateway_leader` describes this process.
 */
export function measurePipeline({ metrics, connection, clock, log, name: of, deployment, written }: PipelineMeasures): void {
  const gauge = (name: string, help: string, labels: string[], fill: (set: SetGauge, of: string) => Promise<void>): void =>
    addDeploymentGauge(metrics, of, log, { name, help, labels, read: async (set) => fill(set, await deployment()) });
  gauge('vouch_gateway_queue_depth', 'Accepted messages that wait for a transaction.', ['kind'], async (set, stored) => {
    for (const [kind, count] of Object.entries(await countQueued(connection, stored))) set({ kind }, count);
  });
  gauge('vouch_gateway_oldest_seconds', 'Age of the oldest accepted message that has not ended.', [], async (set, stored) => {
    set({}, await ageOfOldest(connection, stored, clock));
  });
  gauge('vouch_gateway_batches', 'Transactions by state.', ['state'], async (set, stored) => {
    for (const { state, transactions } of await loadTotals(connection, stored)) set({ state }, transactions);
  });
  gauge('vouch_gateway_gas_used', 'Gas of all receipts.', [], async (set, stored) => {
    set({}, Number((await loadTotals(connection, stored)).reduce((sum, { gasUsed }) => sum + gasUsed, 0n)));
  });
  gauge('vouch_gateway_gas_saved', 'Gas saved: sum over applied messages of the gas of that kind sent alone by its signer, minus the gas of all receipts.', [], async (set, stored) => {
    set({}, Number((await loadTotals(connection, stored)).reduce((sum, { gasAlone, gasUsed }) => sum + gasAlone - gasUsed, 0n)));
  });
  gauge('vouch_gateway_balance_eth', 'Balance of each relayer key at the last check.', ['relayer'], async (set, stored) => {
    for (const { relayer, balanceWei } of await listLanes(connection, stored)) if (balanceWei !== null) set({ relayer }, Number(balanceWei) / 1e18);
  });
  gauge('vouch_gateway_paused', '1 if a relayer key sends no new transactions, with the code of the reason.', ['relayer', 'code'], async (set, stored) => {
    for (const { relayer, state, pauseCode } of await listLanes(connection, stored)) set({ relayer, code: pauseCode ?? '' }, state === 'paused' ? 1 : 0);
  });
  addDeploymentGauge(metrics, of, log, {
    name: 'vouch_gateway_leader', help: '1 if this process writes the transactions of the relayer key, 0 if it stands by.', labels: ['relayer'],
    read(set) {
      for (const [relayer, writes] of written) set({ relayer }, writes ? 1 : 0);
    },
  });
  gauge('vouch_gateway_takeovers', 'Number of times that a process became the writer of a relayer key, over all processes.', ['relayer'], async (set, stored) => {
    for (const { relayer, takings } of await listKeyLeases(connection, stored)) set({ relayer }, takings);
  });
  gauge('vouch_gateway_lease_age_seconds', 'Seconds since the writer of a relayer key last renewed its lease; above 8, the key has no writer.', ['relayer'], async (set, stored) => {
    for (const { relayer, ageSeconds } of await listKeyLeases(connection, stored)) if (ageSeconds !== null) set({ relayer }, ageSeconds);
  });
}

async function countQueued(connection: Connection, deployment: string): Promise<Record<OperationKind, number>> {
  const { rows } = await connection.query<{ kind: OperationKind; count: number }>(
    `select kind, count(*)::int as count from gateway_requests where deployment = $1 and state = 'verified' group by kind`, [deployment]);
  return { enter: 0, exit: 0, commission: 0, claimer: 0, report: 0, ...Object.fromEntries(rows.map(({ kind, count }) => [kind, count])) };
}

/** Age in seconds; 0 if every message has ended. */
async function ageOfOldest(connection: Connection, deployment: string, clock: Clock): Promise<number> {
  const { verified } = await countUnderWay(connection, deployment);
  return verified === null ? 0 : Math.max(0, clock.now() - verified.getTime()) / 1_000;
}
