import type { Database } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../process/doors.ts';

export const windowMs = 60_000;

/** Shares of a window: 20 keeps a process that takes a share and then idles from withholding more than 5 % from the others. */
const sharesPerWindow = 20;

/** Above this many organizations in memory, those of past windows are forgotten. */
const maxOrganizations = 10_000;

/** What a request may know of its organization's limit. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in this window, as far as this process knows. */
  remaining: number;
  resetSeconds: number;
}

interface Window {
  number: number;
  /** Leased and not yet used by this process. */
  share: number;
  /** Leased by all processes together, as of our last lease. */
  granted: number;
  leasing: Promise<void> | null;
}

/**
 * Requests per minute and organization, over any number of processes.
 * Each process counts in memory and leases a twentieth of the window at a time from one row in PostgreSQL, so that
 * the processes together never exceed the limit and no request but every n-th costs a statement.
 * Fixed windows: at most twice the limit passes around the end of a minute.
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limit: number;

  /** @param limit requests per minute and organization; 0 for no limit */
  constructor(database: Database, clock: Clock, log: Logger, limit: number) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#limit = limit;
  }

  /** Counts one request; a promise only where a share has to be leased first. Returns null where no limit is set. */
  take(organizationId: string): Allowance | null | Promise<Allowance> {
    if (this.#limit === 0) return null;
    const window = this.#windowOf(organizationId);
    return this.#mayLease(window) ? this.#leaseAndCount(organizationId, window) : this.#count(window);
  }

  #mayLease(window: Window): boolean {
    return window.share === 0 && window.granted < this.#limit;
  }

  async #leaseAndCount(organizationId: string, window: Window): Promise<Allowance> {
    // Each round either leases something or finds the window exhausted, so two processes cannot keep this going.
    while (this.#mayLease(window)) {
      window.leasing ??= this.#lease(organizationId, window).finally(() => { window.leasing = null; });
      await window.leasing;
    }
    return this.#count(window);
  }

  #count(window: Window): Allowance {
    const allowed = window.share > 0;
    if (allowed) window.share--;
    return {
      allowed,
      limit: this.#limit,
      remaining: window.share + Math.max(0, this.#limit - window.granted),
      resetSeconds: Math.ceil(((window.number + 1) * windowMs - this.#clock.now()) / 1000),
    };
  }

  #windowOf(organizationId: string): Window {
    const number = Math.floor(this.#clock.now() / windowMs);
    const known = this.#windows.get(organizationId);
    if (known?.number === number) return known;
    if (this.#windows.size >= maxOrganizations) {
      for (const [id, window] of this.#windows) if (window.number < number) this.#windows.delete(id);
    }
    const window: Window = { number, share: 0, granted: 0, leasing: null };
    this.#windows.set(organizationId, window);
    return window;
  }

  async #lease(organizationId: string, window: Window): Promise<void> {
    const wanted = Math.max(1, Math.floor(this.#limit / sharesPerWindow));
    try {
      const { share, granted } = await leaseShare(this.#database, organizationId, window.number, wanted, this.#limit);
      window.share += share;
      window.granted = granted;
    } catch (error) {
      // A limit protects the service; without the database it must not become the outage itself.
      this.#log.warn({ err: error, organization_id: organizationId }, 'rate limit counted in this process alone');
      window.share += this.#limit;
      window.granted = this.#limit;
    }
  }
}

/** Takes up to `wanted` of what is left in a window; a share of 0 means that nothing is. */
async function leaseShare(
  database: Database, organizationId: string, windowNumber: number, wanted: number, limit: number,
): Promise<{ share: number; granted: number }> {
  // A process whose clock is behind takes from the newer window instead of opening the old one again.
  const used = 'case when stored.window_number >= $2 then stored.granted else 0 end';
  const share = `greatest(0, least($3::integer, $4::integer - ${used}))`;
  const { rows } = await database.query<{ share: number; granted: number }>(
    `insert into rate_limit_windows as stored (organization_id, window_number, granted, last_share)
     values ($1, $2, least($3::integer, $4::integer), least($3::integer, $4::integer))
     on conflict (organization_id) do update
       set window_number = greatest(stored.window_number, $2), granted = ${used} + ${share}, last_share = ${share}
     returning last_share as share, granted`,
    [organizationId, windowNumber, wanted, limit],
  );
  return rows[0] ?? { share: 0, granted: limit };
}
