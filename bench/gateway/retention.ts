import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeEnded } from '@vouch/gateway/retention/removeEnded';
import { addTotals, loadTotals } from '@vouch/gateway/retention/totalsStore';
import { endedDeployment, storeEnded } from '@vouch/gateway/testing/storeEnded';
import { connectDatabase } from '@vouch/platform/database/connect';
import { startPostgres } from '@vouch/platform/database/embeddedPostgres';
import { migrate, platformMigrations } from '@vouch/platform/database/migrate';
import { createLogger } from '@vouch/platform/log/logger';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';

/**
 * Times the queries of three gateway metrics on a table of ended transactions: over every transaction, as releases up to 0.9 did, and over the
 * totals. Then times the steps that count the transactions and that remove them.
 */

const { values } = parseCommandLine({ options: { transactions: { type: 'string', default: '1000000' }, messages: { type: 'string', default: '1' }, rounds: { type: 'string', default: '9' } } });
const transactions = Number(values.transactions);
const messages = Number(values.messages);
const rounds = Number(values.rounds);

const log = createLogger('silent');
const server = await startPostgres({ folder: await mkdtemp(join(tmpdir(), 'vouch-retention-')), log, temporary: true });
const database = await connectDatabase({ connection: server.connectionString, log, maxConnections: 4 });
await migrate(database, [platformMigrations, { product: 'gateway', folder: new URL('../../packages/gateway/migrations/', import.meta.url) }]);

/** Queries of the metrics before the totals. */
const before = {
  batches: 'SELECT state, count(*)::int AS count FROM gateway_batches WHERE deployment = $1 GROUP BY state',
  gas: `SELECT coalesce(sum(gas_used), 0) AS used, coalesce(sum(gas_alone), 0) AS alone FROM gateway_batches WHERE deployment = $1 AND state IN ('mined', 'confirmed')`,
};

/** Median and maximum time of a call in ms. */
async function time(call: () => Promise<unknown>): Promise<{ median: number; max: number }> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const since = performance.now();
    await call();
    times.push(performance.now() - since);
  }
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1]!, max: times.at(-1)! };
}

const chunk = Math.min(20_000, transactions);
const everyMs = 1_000;
for (let first = 1; first <= transactions; first += chunk) {
  await storeEnded(database, { first, transactions: chunk, messagesEach: messages, newest: new Date(Date.now() - (transactions - first - chunk + 1) * everyMs), everyMs });
}
await database.query('vacuum analyze gateway_batches');

const rows: (string | number)[][] = [];
const add = (what: string, { median, max }: { median: number; max: number }): void => void rows.push([what, median.toFixed(1), max.toFixed(1)]);
add('transactions by state, every transaction', await time(() => database.query(before.batches, [endedDeployment])));
add('gas used and saved, every transaction (each of two metrics)', await time(() => database.query(before.gas, [endedDeployment])));

const counting: number[] = [];
for (let added = 1; added > 0;) {
  const since = performance.now();
  added = await addTotals(database, 1_000);
  counting.push(performance.now() - since);
}
await database.query('vacuum analyze gateway_batches');
add('each of the three metrics, totals', await time(() => loadTotals(database, endedDeployment)));
counting.sort((a, b) => a - b);
rows.push(['a step that counts 1,000 ended transactions', counting[counting.length >> 1]!.toFixed(1), counting.at(-1)!.toFixed(1)]);

const removing: number[] = [];
const cutoff = new Date(Date.now() - transactions * everyMs / 2);
for (let step = 0; step < 300; step++) {
  const since = performance.now();
  const { transactions: removed } = await removeEnded(database, cutoff);
  if (removed === 0) break;
  removing.push(performance.now() - since);
}
removing.sort((a, b) => a - b);
rows.push([`a step that removes 20 transactions with ${messages} ${messages === 1 ? 'message' : 'messages'} each`, removing[removing.length >> 1]!.toFixed(1), removing.at(-1)!.toFixed(1)]);

const { rows: plan } = await database.query<{ 'QUERY PLAN': string }>(
  `EXPLAIN (ANALYZE, costs off, timing off) SELECT state, count(*) FROM gateway_batches WHERE deployment = '${endedDeployment}' AND totaled IS NULL GROUP BY state`);

await reportTable({
  name: 'gateway-retention',
  title: 'Metrics over ended transactions, and their removal',
  command: `node --import tsx bench/gateway/retention.ts ${process.argv.slice(2).join(' ')}`.trim(),
  data: `${transactions} ended transactions of one deployment, one in ten abandoned, with ${messages} ${messages === 1 ? 'message' : 'messages'} each`,
  columns: ['query or step', 'median, ms', 'max, ms'],
  rows,
  notes: [
    'A scrape runs three such queries. Plan of the part of the totals that reads transactions:',
    `\`\`\`\n${plan.map((row) => row['QUERY PLAN']).join('\n')}\n\`\`\``,
  ],
});
await database.close();
await server.stop();
