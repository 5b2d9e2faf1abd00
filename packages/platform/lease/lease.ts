import type { Transactor } from '../database/database.ts';

/**
 * A lease while this process holds it. Its statements use the holder's only connection. Outside of `transaction`, statements may only read; the
 * server rejects others. Each transaction first checks that this process still holds the lease, so a former holder cannot write, even if it does not
 * yet know that it lost the lease.
 */
export interface Lease extends Transactor {
  /**
   * Call this before an action that a fence cannot protect.
   * @throws LeaseLost if the lease is over by this process's own clock, which is before it is over in the database
   */
  assertHeld(): void;
  /** Reports progress of the work: an answer arrived (`part`), or a step completed (`step`). The lease is renewed only after progress. */
  progress(what: 'part' | 'step'): void;
  /** Reports that a step failed. Until a step completes, neither `part` nor a running statement counts as progress. */
  failed(): void;
}

/** This process no longer holds the lease. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`the lease ${name} is no longer held by this process`);
  }
}
