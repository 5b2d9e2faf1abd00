import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import { fromHex, toHex } from '../requests/storedOperation.ts';

/** What is known of a node's day. */
export interface ReportedDay {
  node: Hex;
  /** Null while a transaction that reports the day is on its way. */
  credited: boolean | null;
  attempts: number;
}

export async function readDay(connection: Connection, deployment: string, date: number): Promise<ReportedDay[]> {
  const { rows } = await connection.query<{ node: Buffer; credited: boolean | null; attempts: number }>(
    'select node, credited, attempts from gateway_activity where deployment = $1 and date = $2', [deployment, date]);
  return rows.map(({ node, credited, attempts }) => ({ node: toHex(node), credited, attempts }));
}

/**
 * Notes that a transaction reports these nodes.
 * @returns whether it may be sent: false where one of them is credited or reported by another transaction
 */
export async function storeReported(connection: Connection, deployment: string, date: number, nodes: readonly Hex[], batchId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into gateway_activity as known (deployment, date, node, batch_id) select $1, $2, node, $4 from unnest($3::bytea[]) as given (node)
     on conflict (deployment, date, node) do update set batch_id = excluded.batch_id, credited = null, attempts = known.attempts + 1
       where known.credited = false`,
    [deployment, date, nodes.map(fromHex), batchId]);
  return rowCount === nodes.length;
}

/** A transaction that ended, and of which it is not known yet whom it credited. */
export interface EndedReport {
  batchId: string;
  /** Null where it can no longer land. */
  transactionHash: Hex | null;
}

const maxEnded = 50;

export async function readEnded(connection: Connection, deployment: string): Promise<EndedReport[]> {
  const { rows } = await connection.query<{ batch_id: string; transaction_hash: Buffer | null }>(
    `select batch_id, case when state = 'confirmed' then transaction_hash end as transaction_hash from gateway_batches
     where state in ('confirmed', 'abandoned') and batch_id in (select batch_id from gateway_activity where deployment = $1 and credited is null)
     order by created_at limit $2`, [deployment, maxEnded]);
  return rows.map(({ batch_id: batchId, transaction_hash: hash }) => ({ batchId, transactionHash: hash === null ? null : toHex(hash) }));
}

/** A day of a node that the contract credited. */
export interface Credit {
  node: Hex;
  date: number;
}

/**
 * Stores whom a transaction that ended credited, by the contract's events; whoever else it reported is not credited.
 * @returns how many it reported in vain
 */
export function storeCredits(database: Transactor, deployment: string, batchId: string, credits: readonly Credit[]): Promise<number> {
  return database.transaction(async (transaction) => {
    // It may land in the day after the one that it was made for.
    await transaction.query(
      `insert into gateway_activity (deployment, date, node, batch_id, credited)
       select $1, date, node, $2, true from unnest($3::int[], $4::bytea[]) as given (date, node)
       on conflict (deployment, date, node) do update set credited = true`,
      [deployment, batchId, credits.map(({ date }) => date), credits.map(({ node }) => fromHex(node))]);
    const { rowCount } = await transaction.query('update gateway_activity set credited = false where batch_id = $1 and credited is null', [batchId]);
    return rowCount ?? 0;
  });
}

/** Stores what the contract says of a day that is over. @returns the nodes of which that was not known */
export async function storePassed(database: Transactor, deployment: string, date: number, credited: boolean, nodes: readonly Hex[]): Promise<Hex[]> {
  const { rows } = await database.transaction((transaction) => transaction.query<{ node: Buffer }>(
    `insert into gateway_activity as known (deployment, date, node, credited, attempts) select $1, $2, node, $4, 0 from unnest($3::bytea[]) as given (node)
     on conflict (deployment, date, node) do update set credited = excluded.credited
       where known.credited is not true and known.credited is distinct from excluded.credited
     returning node`,
    [deployment, date, nodes.map(fromHex), credited]));
  return rows.map(({ node }) => toHex(node));
}

export async function forgetBefore(database: Transactor, deployment: string, date: number): Promise<void> {
  await database.transaction((transaction) => transaction.query('delete from gateway_activity where deployment = $1 and date < $2', [deployment, date]));
}

export interface DayCount {
  outcome: 'credited' | 'waiting' | 'lost';
  days: number;
}

/** How many days of nodes have which outcome, of all that are kept. */
export async function countDays(connection: Connection, deployment: string): Promise<DayCount[]> {
  const { rows } = await connection.query<DayCount>(
    `with newest as (select max(date) as date from gateway_activity where deployment = $1)
     select case when credited then 'credited' when credited = false and (attempts = 0 or a.date < newest.date) then 'lost' else 'waiting' end as outcome,
       count(*)::int as days
     from gateway_activity a, newest where deployment = $1 group by 1`, [deployment]);
  return rows;
}

/** The newest day that passed uncredited although nodes were active in it, with their number; null where there is none. */
export async function readLostDay(connection: Connection, deployment: string): Promise<{ date: number; nodes: Hex[] } | null> {
  const { rows } = await connection.query<{ date: number; node: Buffer }>(
    `select date, node from gateway_activity where deployment = $1 and credited = false and attempts = 0
       and date = (select max(date) from gateway_activity where deployment = $1 and credited = false and attempts = 0) order by node`, [deployment]);
  const [first] = rows;
  return first === undefined ? null : { date: first.date, nodes: rows.map(({ node }) => toHex(node)) };
}
