import type { Connection } from '../database/database.ts';

/** What is known of a lease before it is taken. */
export interface LeaseSight {
  /** Some connection has the lock of the lease: that of its holder, whether alive or not. */
  locked: boolean;
  /** The time of the last holder is over, or there never was one. */
  over: boolean;
}

/** Name of the lock that the connection of a holder has. Earlier releases, which elected by the lock alone, use the same name. */
const lockName = (name: string): string => `vouch:${name}`;

/** Connections that have the lock of `$1`. A lock of one 64-bit key shows its halves in two columns. */
const holders = `pg_locks held
  where held.locktype = 'advisory' and held.granted and held.objsubid = 1
    and held.database = (select oid from pg_database where datname = current_database())
    and ((held.classid::bigint << 32) | held.objid::bigint) = hashtextextended($1, 0)`;

/** @param answerMs as in `Session.query` */
export async function seeLease(session: Asking, name: string, answerMs: number): Promise<LeaseSight> {
  const { rows } = await session.query<LeaseSight>(
    `select exists (select from ${holders}) as locked, coalesce((select lease_until < now() from leases where name = $2), true) as over`,
    [lockName(name), name], answerMs);
  return rows[0] ?? { locked: true, over: false };
}

interface Asking {
  query: (<Row extends object>(sql: string, values: readonly unknown[], answerMs?: number) => Promise<{ rows: Row[]; rowCount: number | null }>);
}

/**
 * Ends the connection of a holder whose time is over, and with it the transaction that it may have open: a process that hangs would keep its
 * locks until the server ends the connection by itself.
 */
export async function endHolder(session: Asking, name: string, answerMs: number): Promise<void> {
  await session.query(
    `select pg_terminate_backend(held.pid) from ${holders} and exists (select from leases where name = $2 and lease_until < now())`,
    [lockName(name), name], answerMs);
}

/** Gives the connection the lock of a lease, if no other connection has the lock. */
export async function lockLease(session: Asking, name: string, answerMs: number): Promise<boolean> {
  const { rows } = await session.query<{ locked: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked', [lockName(name)], answerMs);
  return rows[0]?.locked === true;
}

/** Takes a lease, whoever had it; waits for fenced transactions of the last holder. */
export async function takeLease(transaction: Connection, name: string, taking: { fence: string; holder: string; leaseMs: number }): Promise<void> {
  const { fence, holder, leaseMs } = taking;
  await transaction.query('insert into leases (name) values ($1) on conflict (name) do nothing', [name]);
  await transaction.query('select from leases where name = $1 for update', [name]);
  await transaction.query(
    `update leases set fence = $2, lease_until = now() + make_interval(secs => $4), holder = $3, taken_at = now(), renewed_at = now(),
       takings = takings + 1,
       lost_at = case when fence is null then lost_at else (array_append(lost_at, now()))[greatest(1, cardinality(lost_at) - 6):] end
     where name = $1`,
    [name, fence, holder, leaseMs / 1_000]);
}

/** @returns false where the lease is somebody else's by now */
export async function renewLease(session: Asking, name: string, { fence, leaseMs }: { fence: string; leaseMs: number }, answerMs: number): Promise<boolean> {
  const { rowCount } = await session.query(
    'update leases set lease_until = now() + make_interval(secs => $3), renewed_at = now() where name = $1 and fence = $2',
    [name, fence, leaseMs / 1_000], answerMs);
  return rowCount === 1;
}

/**
 * The first statement of every write: refuses a fence that is not the lease's any more, and keeps the lease from being taken until the
 * transaction has ended. It does not keep the holder from renewing.
 */
export async function holdsLease(transaction: Connection, name: string, fence: string): Promise<boolean> {
  const { rowCount } = await transaction.query('select from leases where name = $1 and fence = $2 for key share', [name, fence]);
  return rowCount === 1;
}

/** Ends the time of a lease now. @param given whether its holder gives it back; otherwise it counts as lost */
export async function endLease(session: Asking, name: string, fence: string, given: boolean, answerMs: number): Promise<void> {
  await session.query(
    'update leases set lease_until = now(), fence = case when $3 then null else fence end where name = $1 and fence = $2',
    [name, fence, given], answerMs);
}

/** A lease, for people. */
export interface LeaseRecord {
  name: string;
  /** Machine and process of the holder; of the last holder where nobody holds the lease. */
  holder: string | null;
  held: boolean;
  /** Since the last renewal, in seconds. */
  ageSeconds: number | null;
  /** How often the lease was taken. */
  takings: number;
  /** Times within ten minutes, eight at most, that a holder lost it without giving it back. */
  lostLately: number;
}

/** The leases whose names begin with a text. */
export async function readLeases(connection: Connection, beginning: string): Promise<LeaseRecord[]> {
  const { rows } = await connection.query<{ name: string; holder: string | null; held: boolean; age: number | null; takings: string; lost: number }>(
    `select name, holder, fence is not null and lease_until >= now() as held, extract(epoch from now() - renewed_at)::float8 as age, takings,
       (select count(*)::int from unnest(lost_at) as lost where lost > now() - interval '10 minutes') as lost
     from leases where starts_with(name, $1) order by name limit 1000`, [beginning]);
  return rows.map(({ age, takings, lost, ...row }) => ({ ...row, ageSeconds: age, takings: Number(takings), lostLately: lost }));
}
