import type { Transactor } from '../database/database.ts';

/**
 * A lease while this process holds it. Its statements go over the one connection of the holder. Outside of `transaction` they may only read:
 * the server refuses others. Within, the first statement is the condition that the lease is still held, so that no write of a former holder
 * takes place, whatever the former holder believes.
 */
export interface Lease extends Transactor {
  /** @throws LeaseLost by this process' own clock, before the lease is over for the database; call it before what cannot be fenced */
  assertHeld(): void;
  /** The work made progress: an answer came (`part`), or a step of it was carried out (`step`). Only progress renews the lease. */
  progress(what: 'part' | 'step'): void;
  /** A step failed: until one is carried out, nothing else counts as progress. */
  failed(): void;
}

/** What a process is told that is no longer the holder. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`the lease ${name} is no longer held by this process`);
  }
}
