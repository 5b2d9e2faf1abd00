import { isDatabaseAway } from '@vouch/platform/database/databaseErrors';
import type { Connection } from '@vouch/platform/database/database';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Clock, Timers } from '@vouch/platform/process/systemInterfaces';
import type { ServesDeployment } from './explainDelay.ts';
import type { RecordMemory } from './recordMemory.ts';
import { describeRequest, type RequestRecord } from './requestRecord.ts';

/** Time limit in ms: a record needs a few rows by key, so a slower database counts as unavailable. */
const answerMs = 3_000;

/** Dependencies of `lookUpRecord`. */
export interface RecordSources {
  database: Connection;
  memory: RecordMemory;
  clock: Clock;
  timers: Timers;
  serves: ServesDeployment;
  /** Age in days after which ended records are removed; 0 if they are kept. */
  retentionDays: number;
}

/**
 * Looks up the record of a request in the database. If the database does not answer, returns the last record that this process
 * knows, with `as_of`.
 * @throws Problem `unknown-request`; `database-unavailable` with Retry-After if this process does not know the record
 */
export async function lookUpRecord({ database, memory, clock, timers, serves, retentionDays }: RecordSources, requestId: string): Promise<RequestRecord> {
  const answered = new AbortController();
  const reading = describeRequest(database, requestId, clock.now(), serves, retentionDays);
  // The read can fail long after the answer was sent.
  reading.catch(() => {});
  let away: unknown = null;
  try {
    const record = await Promise.race([reading, timers.sleep(answerMs, answered.signal).then(() => null)]);
    if (record !== null) {
      memory.remember(record, clock.now());
      return record;
    }
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
    away = error;
  } finally {
    answered.abort();
  }
  const known = memory.recall(requestId);
  if (known !== null) return known;
  throw away ?? platformErrors.problem('database-unavailable',
    `PostgreSQL has not answered for ${answerMs / 1_000} s, and this process does not have the record in memory. Nothing was changed. Retry; if the request fails for ` +
    'longer, run `vouch doctor`.', { headers: { 'retry-after': '2' } });
}
