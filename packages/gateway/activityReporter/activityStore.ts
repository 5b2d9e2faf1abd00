import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection, Transactor } from '@vouch/platform/database/database';
import { fromHex, toHex } from '../requests/storedOperation.ts';

/** A node's day as stored. */
export interface ReportedDay {
  node: Hex;
  /** Null while a transaction that reports the day is pending. */
  credited: boolean | null;
  attempts: number;
}

/**
 * Reads the stored days of nodes.
 * @param date day index of the contract
 */
export async function listReportedDays(connection: Connection, deployment: string, date: number): Promise<ReportedDay[]> {
  const { rows } = await connection.query<{ node: Buffer; credited: boolean | null; attempts: number }>(
    'select node, credited, attempts from gateway_activity where deployment = $1 and date = $2', [deployment, date]);
  return rows.map(({ node, credited, attempts }) => ({ node: toHex(node), credited, attempts }));
}

/**
 * Records that a batch reports these nodes.
 * @returns false if the contract already credited one of the nodes or another batch reports it; the caller must not send the batch
 * then
 */
export async function storeReported(connection: Connection, deployment: string, date: number, nodes: readonly Hex[], batchId: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into gateway_activity as known (deployment, date, node, batch_id) select $1, $2, node, $4 from unnest($3::bytea[]) as given (node)
     on conflict (deployment, date, node) do update set batch_id = excluded.batch_id, credited = null, lost = null, attempts = known.attempts + 1
       where known.credited = false`,
    [deployment, date, nodes.map(fromHex), batchId]);
  return rowCount === nodes.length;
}

/** An ended batch whose credited nodes are not read yet. */
export interface EndedReport {
  batchId: string;
  /** Null if the transaction can no longer be mined. */
  transactionHash: Hex | null;
}

const maxEnded = 50;

/** Reads up to `maxEnded` confirmed or abandoned batches whose credits are not stored yet, oldest first. */
export async function listEndedReports(connection: Connection, deployment: string): Promise<EndedReport[]> {
  const { rows } = await connection.query<{ batch_id: string; transaction_hash: Buffer | null }>(
    `select batch_id, case when state = 'confirmed' then transaction_hash end as transaction_hash from gateway_batches
     where state in ('confirmed', 'abandoned') and batch_id in (select batch_id from gateway_activity where deployment = $1 and credited is null)
     order by created_at limit $2`, [deployment, maxEnded]);
  return rows.map(({ batch_id: batchId, transaction_hash: hash }) => ({ batchId, transactionHash: hash === null ? null : toHex(hash) }));
}

/** A node's day that the contract credited. */
export interface Credit {
  node: Hex;
  date: number;
}

/**
 * Stores the credits of an ended batch from the contract's events; the batch's other nodes are stored as not credited.
 * @returns number of reported nodes that were not credited
 */
export function storeCredits(database: Transactor, deployment: string, batchId: string, credits: readonly Credit[]): Promise<number> {
  return database.transaction(async (transaction) => {
    // A transaction can be mined on the day after the one it was made for, and then credits that day.
    await transaction.query(
      `insert into gateway_activity (deployment, date, node, batch_id, credited)
       select $1, date, node, $2, true from unnest($3::int[], $4::bytea[]) as given (date, node)
       on conflict (deployment, date, node) do update set credited = true, lost = null`,
      [deployment, batchId, credits.map(({ date }) => date), credits.map(({ node }) => fromHex(node))]);
    const { rowCount } = await transaction.query('update gateway_activity set credited = false where batch_id = $1 and credited is null', [batchId]);
    return rowCount ?? 0;
  });
}

/**
 * Stores the contract's result for a past day. A day that was reported in vain is stored as lost, too.
 * @returns the nodes whose stored result changed
 */
export async function storePassed(database: Transactor, deployment: string, date: number, credited: boolean, nodes: readonly Hex[]): Promise<Hex[]> {
  const { rows } = await database.transaction((transaction) => transaction.query<{ node: Buffer }>(
    `insert into gateway_activity as known (deployment, date, node, credited, attempts, lost)
     select $1, $2, node, $4, 0, $5 from unnest($3::bytea[]) as given (node)
     on conflict (deployment, date, node) do update set credited = excluded.credited, lost = excluded.lost
       where known.credited is not true and (known.credited, known.lost) is distinct from (excluded.credited, excluded.lost)
     returning node`,
    [deployment, date, nodes.map(fromHex), credited, credited ? null : true]));
  return rows.map(({ node }) => toHex(node));
}

/** Returns the newest day before `before` with a stored result, by the contract's numbers; null if there is none. */
export async function findNewestDay(connection: Connection, deployment: string, before: number): Promise<number | null> {
  const { rows } = await connection.query<{ date: number | null }>('select max(date) as date from gateway_activity where deployment = $1 and date < $2', [deployment, before]);
  return rows[0]?.date ?? null;
}

/** Deletes rows of days before `date`, a day index of the contract. */
export async function forgetBefore(database: Transactor, deployment: string, date: number): Promise<void> {
  await database.transaction((transaction) => transaction.query('delete from gateway_activity where deployment = $1 and date < $2', [deployment, date]));
}

/** Number of stored days of nodes with one outcome: credited, waiting for a transaction, or lost (past and not credited). */
export interface DayCount {
  outcome: 'credited' | 'waiting' | 'lost';
  days: number;
}

/** Newest day with a stored result. A day before it is over, whatever came of its reports. */
const newestDay = 'newest as (select max(date) as date from gateway_activity where deployment = $1)';
const isLost = 'a.credited = false and (a.lost or a.attempts = 0 or a.date < newest.date)';

/** Counts the stored days of nodes by outcome. */
export async function countDays(connection: Connection, deployment: string): Promise<DayCount[]> {
  const { rows } = await connection.query<DayCount>(
    `with ${newestDay}
     select case when credited then 'credited' when ${isLost} then 'lost' else 'waiting' end as outcome, count(*)::int as days
     from gateway_activity a, newest where deployment = $1 group by 1`, [deployment]);
  return rows;
}

/** A past day that the contract did not credit to nodes. */
export interface LostDay {
  date: number;
  /** Nodes that nobody reported first. */
  nodes: Hex[];
  /** Number of the nodes that were reported in vain. */
  reported: number;
}

/** Returns the newest day that the contract did not credit to nodes which were active long enough; null if there is none. */
export async function findLostDay(connection: Connection, deployment: string): Promise<LostDay | null> {
  const { rows } = await connection.query<{ date: number; node: Buffer; attempts: number }>(
    `with ${newestDay},
       lost as (select a.date, a.node, a.attempts from gateway_activity a, newest where deployment = $1 and ${isLost})
     select date, node, attempts from lost where date = (select max(date) from lost) order by attempts > 0, node`, [deployment]);
  const [first] = rows;
  if (first === undefined) return null;
  return { date: first.date, nodes: rows.map(({ node }) => toHex(node)), reported: rows.filter(({ attempts }) => attempts > 0).length };
}
