import type { Connection } from '../database/database.ts';

/** State of a lease before a process takes it. */
export interface LeaseSight {
  /** Whether a connection has the lock of the lease. Its process may be alive or hang. */
  locked: boolean;
  /** Whether the last holder's time is over, or there never was a holder. */
  over: boolean;
}

/** Name of the lock that the holder's connection has. Earlier releases, which elected holders with this lock alone, use the same name. */
const lockName = (name: string): string => `vouch:${name}`;

/** SQL for the connections that have the lock named `$1`. pg_locks shows the halves of a 64-bit key in two columns. */
const holders = `pg_locks held
  WHERE held.locktype = 'advisory' AND held.granted AND held.objsubid = 1
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((held.classid::bigint << 32) | held.objid::bigint) = hashtextextended($1, 0)`;

/** Reads the state of a lease. @param answerMs time limit in ms, as in `Session.query` */
export async function seeLease(session: Asking, name: string, answerMs: number): Promise<LeaseSight> {
  const { rows } = await session.query<LeaseSight>(
    `SELECT EXISTS (SELECT FROM ${holders}) AS locked, coalesce((SELECT lease_until < now() FROM leases WHERE name = $2), true) AS over`,
    [lockName(name), name], answerMs);
  return rows[0] ?? { locked: true, over: false };
}

interface Asking {
  query: (<Row extends object>(sql: string, values: readonly unknown[], answerMs?: number) => Promise<{ rows: Row[]; rowCount: number | null }>);
}

/**
 * Ends the connection of a holder whose time is over, and with it any open transaction. Otherwise a process that hangs keeps its locks until the
 * server ends the connection.
 */
export async function endHolder(session: Asking, name: string, answerMs: number): Promise<void> {
  await session.query(
    `SELECT pg_terminate_backend(held.pid) FROM ${holders} AND EXISTS (SELECT FROM leases WHERE name = $2 AND lease_until < now())`,
    [lockName(name), name], answerMs);
}

/** Takes the lock of a lease for this connection. @returns false if another connection has the lock */
export async function lockLease(session: Asking, name: string, answerMs: number): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked', [lockName(name)], answerMs);
  return rows[0]?.locked === true;
}

/** Leases whose names have this beginning and this end. At most one of them is held at a time. */
export interface LeaseGroup {
  beginning: string;
  end: string;
}

/** SQL condition for the other leases of a group: $1 is the own name, $2 the beginning and $3 the end of the names. */
const rivals = 'name <> $1 AND starts_with(name, $2) AND right(name, length($3)) = $3';

/** Returns the name of another lease of the group that is held now; null if there is none. @param answerMs time limit in ms, as in `Session.query` */
export async function findRival(session: Asking, name: string, { beginning, end }: LeaseGroup, answerMs?: number): Promise<string | null> {
  const { rows } = await session.query<{ name: string }>(
    `SELECT name FROM leases WHERE ${rivals} AND fence IS NOT NULL AND lease_until >= now() ORDER BY name LIMIT 1`, [name, beginning, end], answerMs);
  return rows[0]?.name ?? null;
}

/**
 * Ends the leases of a group that are over, so that their last holders can neither write nor renew. Waits for fenced transactions of those holders.
 * Until the transaction ends, no other process can take a lease of the group.
 * @returns false if another lease of the group is held
 */
export async function excludeRivals(transaction: Connection, name: string, group: LeaseGroup): Promise<boolean> {
  const { beginning, end } = group;
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName(`${beginning}*${end}`)]);
  await transaction.query(`SELECT FROM leases WHERE ${rivals} AND fence IS NOT NULL ORDER BY name FOR UPDATE`, [name, beginning, end]);
  if (await findRival(transaction, name, group) !== null) return false;
  await transaction.query(
    `UPDATE leases SET fence = NULL, lost_at = (array_append(lost_at, now()))[greatest(1, cardinality(lost_at) - 6):] WHERE ${rivals} AND fence IS NOT NULL`,
    [name, beginning, end]);
  return true;
}

/** Takes a lease, whoever held it. Waits for fenced transactions of the last holder. */
export async function takeLease(transaction: Connection, name: string, taking: { fence: string; holder: string; leaseMs: number }): Promise<void> {
  const { fence, holder, leaseMs } = taking;
  await transaction.query('INSERT INTO leases (name) VALUES ($1) ON CONFLICT (name) DO NOTHING', [name]);
  await transaction.query('SELECT FROM leases WHERE name = $1 FOR UPDATE', [name]);
  await transaction.query(
    `UPDATE leases SET fence = $2, lease_until = now() + make_interval(secs => $4), holder = $3, taken_at = now(), renewed_at = now(),
       takings = takings + 1,
       lost_at = CASE WHEN fence IS NULL THEN lost_at ELSE (array_append(lost_at, now()))[greatest(1, cardinality(lost_at) - 6):] END
     WHERE name = $1`,
    [name, fence, holder, leaseMs / 1_000]);
}

/** Renews a lease. @returns false if another process has taken the lease */
export async function renewLease(session: Asking, name: string, { fence, leaseMs }: { fence: string; leaseMs: number }, answerMs: number): Promise<boolean> {
  const { rowCount } = await session.query(
    'UPDATE leases SET lease_until = now() + make_interval(secs => $3), renewed_at = now() WHERE name = $1 AND fence = $2',
    [name, fence, leaseMs / 1_000], answerMs);
  return rowCount === 1;
}

/**
 * Checks the fence; must be the first statement of each writing transaction. Prevents other processes from taking the lease until the transaction
 * ends. The holder can still renew.
 * @returns false if the fence is no longer that of the lease
 */
export async function holdsLease(transaction: Connection, name: string, fence: string): Promise<boolean> {
  const { rowCount } = await transaction.query('SELECT FROM leases WHERE name = $1 AND fence = $2 FOR KEY SHARE', [name, fence]);
  return rowCount === 1;
}

/** Ends a lease now. @param given true if the holder gives it back; otherwise the lease counts as lost */
export async function endLease(session: Asking, name: string, fence: string, given: boolean, answerMs: number): Promise<void> {
  await session.query(
    'UPDATE leases SET lease_until = now(), fence = CASE WHEN $3 THEN NULL ELSE fence END WHERE name = $1 AND fence = $2',
    [name, fence, given], answerMs);
}

/** A lease, as shown to operators. */
export interface LeaseRecord {
  name: string;
  /** Machine and process id of the holder, or of the last holder if nobody holds the lease. */
  holder: string | null;
  held: boolean;
  /** Time in seconds since the last renewal. */
  ageSeconds: number | null;
  /** Number of times that the lease was taken. */
  takings: number;
  /** Number of times within the last ten minutes (at most eight) that a holder lost the lease without giving it back. */
  lostLately: number;
}

/** Reads the leases whose names begin with `beginning`; at most 1,000. */
export async function listLeases(connection: Connection, beginning: string): Promise<LeaseRecord[]> {
  const { rows } = await connection.query<{ name: string; holder: string | null; held: boolean; age: number | null; takings: string; lost: number }>(
    `SELECT name, holder, fence IS NOT NULL AND lease_until >= now() AS held, extract(epoch FROM now() - renewed_at)::float8 AS age, takings,
       (SELECT count(*)::int FROM unnest(lost_at) AS lost WHERE lost > now() - interval '10 minutes') AS lost
     FROM leases WHERE starts_with(name, $1) ORDER BY name LIMIT 1000`, [beginning]);
  return rows.map(({ age, takings, lost, ...row }) => ({ ...row, ageSeconds: age, takings: Number(takings), lostLately: lost }));
}
