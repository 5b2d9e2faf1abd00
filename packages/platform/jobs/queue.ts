import type { Connection, Database } from '../database/database.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { endJob } from './endJob.ts';
import type { EnqueueRequest, Job, JobKind, JobQueue } from './job.ts';
import { cancelChannel, toJob, wakeChannel, type JobRow } from './jobRow.ts';

/** A job queue that knows the kinds of jobs. */
export interface RegisteringJobQueue extends JobQueue {
  /**
   * Registers kinds, so that their queued jobs can be cancelled at once, with the kind's `ended` hook. A queued job of an unknown kind is only
   * marked; a worker that knows the kind cancels it.
   */
  register(kinds: readonly JobKind[]): void;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Creates the interface of the queue for code that creates and cancels jobs, over the table `jobs`.
 * @example
 * const queue = createJobQueue(database, systemInterfaces);
 * const job = await database.transaction((transaction) =>
 *   queue.enqueue(transaction, { organizationId: 'default', kind: 'train', subject: modelId, input }));
 * await queue.cancel('default', job.id);
 */
export function createJobQueue(database: Database, system: Pick<SystemInterfaces, 'random'>): RegisteringJobQueue {
  const kinds = new Map<string, JobKind>();
  return {
    register(more) {
      for (const kind of more) kinds.set(kind.name, kind);
    },
    enqueue: (transaction, request) => enqueue(transaction, system.random.uuid(), request),
    async get(organizationId, id) {
      if (!uuid.test(id)) return null;
      const { rows } = await database.query<JobRow>(
        'SELECT * FROM jobs WHERE id = $1 AND organization_id = $2', [id, organizationId]);
      return rows[0] === undefined ? null : toJob(rows[0]);
    },
    async getAll(organizationId, ids) {
      const { rows } = await database.query<JobRow>('SELECT * FROM jobs WHERE id = ANY($1) AND organization_id = $2', [ids, organizationId]);
      return new Map(rows.map((row) => [row.id, toJob(row)]));
    },
    async cancel(organizationId, id) {
      if (!uuid.test(id)) return null;
      return database.transaction((transaction) => cancel(transaction, kinds, organizationId, id));
    },
    async listOpen(organizationId, serialKey) {
      const { rows } = await database.query<{ id: string }>(
        `SELECT id FROM jobs
         WHERE organization_id = $1 AND serial_key = $2 AND status IN ('queued', 'running')
         ORDER BY number DESC`, [organizationId, serialKey]);
      return rows.map(({ id }) => id);
    },
  };
}

async function enqueue(transaction: Connection, id: string, request: EnqueueRequest): Promise<Job> {
  if (request.serialKey !== undefined) {
    // The lock makes jobs with one serial key visible in the order of their numbers, so a claim always sees the oldest.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))', [`vouch:serial:${request.serialKey}`]);
  }
  const { rows } = await transaction.query<JobRow>(
    `INSERT INTO jobs (id, organization_id, kind, subject, input, serial_key, traceparent) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *`,
    [
      id, request.organizationId, request.kind, request.subject, JSON.stringify(request.input ?? null),
      request.serialKey ?? null, request.traceparent ?? null,
    ]);
  await transaction.query('SELECT pg_notify($1, $2)', [wakeChannel, request.kind]);
  return toJob(rows[0] as JobRow);
}

async function cancel(
  transaction: Connection, kinds: ReadonlyMap<string, JobKind>, organizationId: string, id: string,
): Promise<Job | null> {
  const { rows } = await transaction.query<JobRow>(
    'SELECT * FROM jobs WHERE id = $1 AND organization_id = $2 FOR UPDATE', [id, organizationId]);
  const row = rows[0];
  if (row === undefined) return null;
  if (row.completed_at !== null) return toJob(row);
  const kind = kinds.get(row.kind);
  if (row.status === 'queued' && kind !== undefined) {
    return endJob(transaction, kind, id, { status: 'cancelled' }, { lockedRow: true });
  }
  await transaction.query('UPDATE jobs SET cancel_requested = true WHERE id = $1', [id]);
  await transaction.query('SELECT pg_notify($1, $2)', [row.status === 'running' ? cancelChannel : wakeChannel, id]);
  return { ...toJob(row), cancelRequested: true };
}
