import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { openProgressBar } from '../terminal/progressBar.ts';
import { stopWithSignals } from '../terminal/stopWithSignals.ts';
import { formatTable } from '../terminal/table.ts';
import { checkRow, type RowResult, type Verdict } from './checkRow.ts';
import { openServer, type OpenServer, type ServerToCheck } from './openServer.ts';
import { suites } from './suites.ts';

/**
 * Checks a server, prints the results, and removes what the checks created there.
 * @returns the exit code: 0 if no check fails
 * @throws Error if the server does not answer or rejects the key
 */
export async function runConformance(server: ServerToCheck, asJson: boolean): Promise<number> {
  const stopping = stopWithSignals();
  const opened = await openServer(server);
  const rows = suites.flatMap((suite) => suite.rows);
  process.stderr.write(`${describePlan(server, opened, rows)}\n`);
  const results = await checkAll(rows, opened, stopping.signal);
  const { batchesDeleted, left } = await opened.tidy();
  stopping.forget();
  const counts = countVerdicts(results);
  if (asJson) {
    const { prefix } = opened.context;
    process.stdout.write(`${JSON.stringify({ url: server.url, gateway_url: server.gatewayUrl, prefix, counts, results, batches_deleted: batchesDeleted, left })}\n`);
  } else process.stdout.write(describeResults(results, rows.length, { batchesDeleted, left }));
  return stopping.exitCode() ?? (counts.fails > 0 ? exitCodes.notInOrder : exitCodes.done);
}

async function checkAll(rows: readonly ConformanceRow[], { context }: OpenServer, signal: AbortSignal): Promise<RowResult[]> {
  const bar = openProgressBar(process.stderr, systemInterfaces.clock);
  const results: RowResult[] = [];
  for (const row of rows) {
    if (signal.aborted) break;
    bar.show(row.statement.padEnd(9), results.length / rows.length);
    results.push(await checkRow(row, context));
  }
  bar.clear();
  return results;
}

function describePlan({ url, gatewayUrl, apiKey, mediaUrl }: ServerToCheck, { context, forbidden }: OpenServer, rows: readonly ConformanceRow[]): string {
  const { prefix, disposable } = context;
  return [
    `Checks ${url}${gatewayUrl === null ? '' : ` and the gateway at ${gatewayUrl}`} with ${rows.length} checks (docs/conformance.md).`,
    ...(apiKey === '' ? ['Without --key, only the gateway is checked.'] : [
      `Uploads about 60 small batches, at most 2,500 rows each, and trains about 15 models; tags and models begin with ${prefix}.`,
      'Deletes the batches afterwards. Models remain, and the newest model answers trending_items without model_id until another training completes.',
    ]),
    ...(apiKey === '' || disposable ? [] : ['The organization has batches, or the key cannot list them: checks that would read or delete all data of the organization are skipped.']),
    ...(mediaUrl === null ? [] : [`Starts about 25 short runs of ${mediaUrl}.`]),
    ...(forbidden.length === 0 ? [] : [`The key has no permission to ${forbidden.join(', ')}: checks that require this are skipped.`]),
  ].join('\n');
}

function describeResults(results: readonly RowResult[], planned: number, { batchesDeleted, left }: { batchesDeleted: number; left: readonly string[] }): string {
  const counts = countVerdicts(results);
  const table = formatTable('', ['', 'result', 'statement', 'check'], results.map(({ statement, verdict, says, shows }) => [statement, verdict, says, shows]));
  const of = (verdict: Verdict): RowResult[] => results.filter((result) => result.verdict === verdict);
  const reasons = new Map<string, string[]>();
  for (const { reason, statement } of of('skipped')) reasons.set(reason ?? '', [...(reasons.get(reason ?? '') ?? []), statement]);
  const parts = [
    table,
    ...of('fails').map(({ statement, says, shows, reason }) => `FAILS ${statement}: ${says}\n      ${shows}\n      ${reason}`),
    ...of('deviates').map(({ statement, reason }) => `deviates ${statement}: ${reason}`),
    ...[...reasons].map(([reason, statements]) => `skipped ${[...new Set(statements)].join(' ')}: ${reason}`),
    `${counts.holds} hold, ${counts.deviates} deviate as documented, ${counts.fails} fail, ${counts.skipped} skipped${results.length < planned ? `, ${planned - results.length} not reached` : ''}.`,
    `${batchesDeleted} batches deleted.${left.length === 0 ? '' : ` Left on the server: ${left.join(', ')}.`}`,
  ];
  return `${parts.join('\n')}\n`;
}

function countVerdicts(results: readonly RowResult[]): Record<Verdict, number> {
  const counts = { holds: 0, deviates: 0, fails: 0, skipped: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}
