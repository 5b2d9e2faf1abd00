import type { Connection } from '@vouch/platform/database/database';
import { nextDayMs, utcDay } from './budget.ts';
import type { Usage } from './spendingStore.ts';

/** Kinds of transactions of the activity reporter: daily activity, repeated randomness requests, conclusions of attestations. */
export const reporterKinds = ['activity', 'randomness', 'conclusion'] as const;
export type ReporterKind = (typeof reporterKinds)[number];

/**
 * Default gas per UTC day. Activity: 3,000 nodes at the maximum per report. Randomness: 100 requests at the maximum per request
 * at a coordinator. Conclusion: about 2,000 attestations.
 */
export const defaultReporterBudgets: Readonly<Record<ReporterKind, number>> = { activity: 400_000_000, randomness: 40_000_000, conclusion: 40_000_000 };

/**
 * Reads the activity reporter's budgets; kinds without a stored budget have the default.
 * @param service `<chain id>:<contract>`
 */
export async function loadReporterBudgets(connection: Connection, service: string): Promise<Record<ReporterKind, number>> {
  const { rows } = await connection.query<{ kind: ReporterKind; gas_per_day: string }>(
    `select kind, gas_per_day from gateway_budgets where service = $1 and scope = 'keeper' and subject = ''`, [service]);
  return { ...defaultReporterBudgets, ...Object.fromEntries(rows.map(({ kind, gas_per_day: gas }) => [kind, Number(gas)])) };
}

/**
 * Reads the activity reporter's gas on a UTC day: used gas by receipts, and reserved gas as the gas limits of pending transactions.
 * @param deployment deployment name, or a prefix of several names
 */
export async function loadReporterUsage(connection: Connection, deployment: string, day: string): Promise<Record<ReporterKind, Usage>> {
  const begin = Date.parse(day);
  const { rows } = await connection.query<{ purpose: ReporterKind; spent: string; reserved: string }>(
    `select purpose, coalesce(sum(gas_used), 0) as spent, coalesce(sum(gas_limit) filter (where state in ('prepared', 'sent')), 0) as reserved
     from gateway_batches where purpose in ('activity', 'randomness', 'conclusion')
       and starts_with(deployment, $1) and created_at >= $2 and created_at < $3 group by purpose`,
    [deployment, new Date(begin), new Date(nextDayMs(begin))]);
  const used = new Map(rows.map(({ purpose, spent, reserved }) => [purpose, { spent: Number(spent), reserved: Number(reserved) }]));
  const of = (kind: ReporterKind): Usage => used.get(kind) ?? { spent: 0, reserved: 0 };
  return { activity: of('activity'), randomness: of('randomness'), conclusion: of('conclusion') };
}

/**
 * Remaining gas of one of the activity reporter's budgets today; can be negative.
 * @param now milliseconds since 1970
 */
export async function loadReporterRest(connection: Connection, deployment: string, kind: ReporterKind, now: number): Promise<number> {
  const budgets = await loadReporterBudgets(connection, serviceOf(deployment));
  const { spent, reserved } = (await loadReporterUsage(connection, deployment, utcDay(now)))[kind];
  return budgets[kind] - spent - reserved;
}

/** The service `<chain id>:<contract>` of a deployment name `<chain id>:<contract>:<genesis>`. */
function serviceOf(deployment: string): string {
  return deployment.split(':').slice(0, 2).join(':').toLowerCase();
}
