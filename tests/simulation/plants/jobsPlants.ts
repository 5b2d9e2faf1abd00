import type { PlantedFault } from './plantedFault.ts';

const jobs = 'packages/platform/jobs';

/** Faults of lease, retry, cancellation and completion of jobs. The simulation must find those with a seed. */
export const jobsPlants: readonly PlantedFault[] = [
  { name: 'a former holder renews the lease', seed: 3, scenario: 'jobs', file: `${jobs}/attemptRow.ts`, replace: 'WHERE id = $1 AND fence = $2 RETURNING cancel_requested', by: `WHERE id = $1 AND ($2::uuid IS NOT NULL) AND status = 'running' RETURNING cancel_requested` },
  { name: 'a former holder stores a stage', seed: 2, scenario: 'jobs', file: `${jobs}/attemptRow.ts`, replace: 'progressed_at = now()\n       WHERE id = $1 AND fence = $2`, [this.#id, this.#fence, name', by: 'progressed_at = now()\n       WHERE id = $1 AND $2::uuid IS NOT NULL`, [this.#id, this.#fence, name' },
  { name: 'a former holder puts the job back', seed: 7, scenario: 'jobs', file: `${jobs}/attemptRow.ts`, replace: 'WHERE id = $1 AND fence = $2 RETURNING kind', by: 'WHERE id = $1 AND $2::uuid IS NOT NULL AND completed_at IS NULL RETURNING kind' },
  { name: 'a former holder completes the job', seed: null, scenario: 'jobs', file: `${jobs}/endJob.ts`, replace: 'AND ($4::uuid IS NULL OR fence = $4) AND', by: 'AND ($4::uuid IS NULL OR true) AND' },
  { name: 'a completed job can end again', seed: null, scenario: 'jobs', file: `${jobs}/endJob.ts`, replace: 'AND ($4::uuid IS NULL OR fence = $4) AND completed_at IS NULL', by: 'AND ($4::uuid IS NULL OR fence IS NULL OR fence = $4)' },
  { name: 'a cancelled job completes', seed: null, scenario: 'jobs', file: `${jobs}/endJob.ts`, replace: `AND ($2 <> 'completed' OR NOT cancel_requested)`, by: '' },
  { name: 'the hook after a cancellation is missing', seed: 1, scenario: 'jobs', file: `${jobs}/endJob.ts`, replace: `if (end.status !== 'completed')`, by: `if (end.status === 'error')` },
  { name: 'a retry begins at once', seed: 1, scenario: 'jobs', file: `${jobs}/claimJob.ts`, replace: 'AND run_after <= now() AND', by: 'AND' },
  { name: 'the limit per organization is one too high', seed: 2, scenario: 'jobs', file: `${jobs}/claimJob.ts`, replace: 'candidate.organization_id) < $4', by: 'candidate.organization_id) <= $4' },
  { name: 'jobs with one serial key run in any order', seed: 2, scenario: 'jobs', file: `${jobs}/claimJob.ts`, replace: `(other.status = 'queued' AND other.number < candidate.number)`, by: 'false' },
  { name: 'a lease is taken over before it is over', seed: 1, scenario: 'jobs', file: `${jobs}/claimJob.ts`, replace: 'make_interval(secs => $3), attempt', by: 'make_interval(secs => $3 - 8), attempt' },
  { name: 'expired leases are not looked for', seed: 1, scenario: 'jobs', file: `${jobs}/settleOrphan.ts`, replace: `WHERE kind = ANY($1) AND ((status = 'running' AND lease_until < now()) OR`, by: 'WHERE kind = ANY($1) AND (false OR' },
  { name: 'a lost connection postpones the takeover of a job', seed: null, scenario: 'jobs', file: `${jobs}/worker.ts`, replace: 'if (isDatabaseAway(error)) throw error;', by: '' },
  { name: 'the holder counts its lease from the answer', seed: 6, scenario: 'jobs', file: 'packages/platform/lease/keepLease.ts', replace: `leasedAt = askedAt;`, by: 'leasedAt = elapsedMs();' },
  { name: 'the holder counts its first lease from the answer', seed: 20, scenario: 'jobs', file: `${jobs}/runJob.ts`, replace: 'sinceMs: leasedAt', by: 'sinceMs: system.elapsedMs()' },
  { name: 'a killed worker counts as a failure of the job', seed: 1, scenario: 'jobs', file: `${jobs}/setback.ts`, replace: 'return { ...before, interruptions, delayMs, abandoned: interruptions >= maxInterruptions', by: 'return { ...before, interruptions, delayMs, abandoned: interruptions >= rules.maxAttempts' },
  { name: 'a job is tried once more than allowed', seed: 1, scenario: 'jobs', file: `${jobs}/setback.ts`, replace: 'failures >= rules.maxAttempts', by: 'failures > rules.maxAttempts' },
  { name: 'finished stages are repeated', seed: 1, scenario: 'jobs', file: `${jobs}/runJob.ts`, replace: 'if (Object.hasOwn(row.checkpoints, name)) {', by: `if (name === '') {` },
  { name: 'the queue is checked only after notifications', seed: 4, scenario: 'jobs', file: `${jobs}/worker.ts`, replace: 'await system.timers.sleep(pollMs, wake.signal);', by: 'await system.timers.sleep(86_400_000, wake.signal);' },
  { name: 'a lost commit counts as done', seed: null, scenario: 'jobs', file: 'packages/platform/database/runTransaction.ts', replace: `throw translateDatabaseError(error, 'COMMIT');`, by: `return { command: 'COMMIT', error };` },
];
