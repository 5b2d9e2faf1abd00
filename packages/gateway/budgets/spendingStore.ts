import type { OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { budgetKey, budgetsOf, type BudgetName, type BudgetScope, type GasClaim } from './budget.ts';

/** Gas of one counter. */
export interface Usage {
  /** Reserved for pending messages. */
  reserved: number;
  /** Used, by receipts of confirmed transactions. */
  spent: number;
}

interface Columns {
  scope: BudgetScope;
  subject: string;
  kind: OperationKind;
  reserved_gas: string;
  spent_gas: string;
}

/**
 * Reserves gas, or releases it if `sign` is -1, and locks the counters until the transaction ends. All writers lock counters in the
 * same order, which prevents deadlocks.
 * @returns the usage before the change, by `budgetKey`
 */
export async function reserveGas(
  transaction: Connection, deployment: string, day: string, claims: readonly GasClaim[], sign: 1 | -1 = 1,
): Promise<Map<string, Usage>> {
  const added = new Map<string, BudgetName & { gas: number }>();
  for (const claim of claims) {
    for (const name of budgetsOf(claim)) {
      const key = budgetKey(name);
      added.set(key, { ...name, gas: (added.get(key)?.gas ?? 0) + sign * claim.gas });
    }
  }
  const counters = [...added.values()];
  const { rows } = await transaction.query<Columns>(
    `insert into gateway_spending (deployment, day, scope, subject, kind, reserved_gas)
     select $1, $2::date, scope, subject, kind, gas
     from unnest($3::text[], $4::text[], $5::text[], $6::bigint[]) as given (scope, subject, kind, gas)
     order by scope, subject, kind
     on conflict (deployment, day, scope, subject, kind) do update set reserved_gas = gateway_spending.reserved_gas + excluded.reserved_gas
     returning scope, subject, kind, reserved_gas, spent_gas`,
    [
      deployment, day, counters.map(({ scope }) => scope), counters.map(({ subject }) => subject), counters.map(({ kind }) => kind),
      counters.map(({ gas }) => gas),
    ]);
  return new Map(rows.map((row) => {
    const key = budgetKey(row);
    return [key, { reserved: Number(row.reserved_gas) - (added.get(key)?.gas ?? 0), spent: Number(row.spent_gas) }];
  }));
}

/**
 * Reads counters of a day, highest usage first.
 * @param deployment deployment name, or a prefix of several names
 */
export async function loadUsages(
  connection: Connection, deployment: string, day: string, { scopes, subject, most }: { scopes: readonly BudgetScope[]; subject: string | null; most: number },
): Promise<{ name: BudgetName; usage: Usage }[]> {
  const { rows } = await connection.query<Columns>(
    `select scope, subject, kind, sum(reserved_gas) as reserved_gas, sum(spent_gas) as spent_gas from gateway_spending
     where starts_with(deployment, $1) and day = $2::date and scope = any($3::text[]) and ($4::text is null or subject = $4)
     group by scope, subject, kind order by sum(reserved_gas) + sum(spent_gas) desc, scope, subject, kind limit $5`,
    [deployment, day, scopes, subject, most]);
  return rows.map(({ reserved_gas: reserved, spent_gas: spent, ...name }) => ({ name, usage: { reserved: Number(reserved), spent: Number(spent) } }));
}

/** Days whose counters are kept; gas bills use other rows and reach back further. */
const daysKept = 31;

/** Deletes counters older than `daysKept` days that have no reserved gas. */
export async function forgetOldDays(connection: Connection, today: string): Promise<void> {
  await connection.query('delete from gateway_spending where day < $1::date - $2::int and reserved_gas = 0', [today, daysKept]);
}

/** Sorts licenses by their gas of this kind and day, lowest first; returns at most `most` of them. */
export async function rankLicenses(
  connection: Connection, deployment: string, day: string, kind: OperationKind, licenses: readonly number[], most: number,
): Promise<number[]> {
  const { rows } = await connection.query<{ license: string }>(
    `select license from unnest($4::text[]) as given (license)
     left join gateway_spending s on s.deployment = $1 and s.day = $2::date and s.scope = 'license' and s.subject = given.license and s.kind = $3
     order by coalesce(s.reserved_gas + s.spent_gas, 0), license limit $5`,
    [deployment, day, kind, licenses.map(String), most]);
  return rows.map(({ license }) => Number(license));
}

/**
 * Applies the changes of `moved` (deployment, day, signer, license, kind, reserved, spent) to the counters, in the order of
 * `reserveGas`.
 */
const applyMoved = `
  insert into gateway_spending (deployment, day, scope, subject, kind, reserved_gas, spent_gas)
  select deployment, day, scope, subject, kind, sum(reserved), sum(spent)
  from moved cross join lateral (values ('signer', '0x' || encode(signer, 'hex')), ('license', license), ('total', '')) as charged (scope, subject)
  where day is not null and subject is not null
  group by deployment, day, scope, subject, kind
  order by deployment, day, scope, subject, kind
  on conflict (deployment, day, scope, subject, kind) do update
    set reserved_gas = gateway_spending.reserved_gas + excluded.reserved_gas, spent_gas = gateway_spending.spent_gas + excluded.spent_gas`;

/**
 * Builds a statement that ends requests and releases their reserved gas together, so that a crash cannot separate the two steps and
 * no request is released twice. The gas of a request whose transaction can still be mined, and then costs gas although the request has ended, stays reserved
 * until `releaseEnded`.
 * @param update an UPDATE of gateway_requests as `r`, without RETURNING
 * @returns SQL that returns one row with the `count` of ended requests
 */
export function endingRequests(update: string): string {
  return `with ended as (${update} returning r.*),
    moved as (select deployment, budget_day as day, signer, budget_license as license, kind, -reserved_gas as reserved, 0 as spent from ended
      where not exists (select from gateway_batches b where b.batch_id = ended.batch_id and b.state in ('prepared', 'sent', 'mined'))),
    released as (${applyMoved})
    select count(*)::int as count from ended`;
}

/** Charges the gas of a batch's messages, including refused ones; must run once, in the transaction that confirms the batch. */
export async function chargeBatch(transaction: Connection, batchId: string): Promise<void> {
  await transaction.query(
    `with moved as (
       select r.deployment, r.budget_day as day, r.signer, r.budget_license as license, r.kind, 0 as reserved, coalesce(m.gas_used, 0) as spent
       from gateway_members m join gateway_requests r using (request_id) where m.batch_id = $1)
     ${applyMoved}`, [batchId]);
}

/** Releases the reserved gas of the messages that ended before their batch; must run once, in the transaction that ends the batch, before further messages of it end. */
export async function releaseEnded(transaction: Connection, batchId: string): Promise<void> {
  await transaction.query(
    `with moved as (
       select deployment, budget_day as day, signer, budget_license as license, kind, -reserved_gas as reserved, 0 as spent
       from gateway_requests where batch_id = $1 and ended_at is not null)
     ${applyMoved}`, [batchId]);
}

/**
 * Returns the refused messages of a charged batch that have not ended to the queue. Their reservations shrink by the gas that was charged; otherwise this gas would
 * count twice, and budgets would be exceeded.
 */
export async function returnRefused(transaction: Connection, batchId: string): Promise<void> {
  await transaction.query(
    `with refused as (
       select r.request_id, least(r.reserved_gas, coalesce(m.gas_used, 0)) as used
       from gateway_requests r join gateway_members m using (request_id, batch_id) where r.batch_id = $1 and r.state = 'mined'),
     returned as (
       update gateway_requests r
       set state = 'verified', batch_id = null, batched_at = null, sent_at = null, mined_at = null, gas_used = null, cost_wei = null,
         reserved_gas = r.reserved_gas - refused.used
       from refused where r.request_id = refused.request_id
       returning r.deployment, r.budget_day as day, r.signer, r.budget_license as license, r.kind, refused.used),
     moved as (select deployment, day, signer, license, kind, -used as reserved, 0 as spent from returned)
     ${applyMoved}`, [batchId]);
}
