import type { Database } from '../database/database.ts';
import { isPublishable, type Scope } from '../keys/scopes.ts';
import type { Identity } from '../keys/identity.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../process/systemInterfaces.ts';

/** Length of a window in ms: one minute. */
export const windowMs = 60_000;

/** Number of shares of a window. With 20, a process that leases a share and then idles withholds at most 5% of the limit from the other processes. */
const sharesPerWindow = 20;

/** Maximum number of senders in memory, of which each needs about 200 bytes. */
const maxSenders = 10_000;

/** Whose requests a limit counts together. */
export interface Sender {
  id: string;
  kind: 'organization' | 'publishable key';
}

/**
 * Returns whose limit a request counts against: the organization's, or that of the key itself if the request is only allowed to a publishable key.
 * Everybody can read such a key in a web page, so its requests must not use up the limit of the organization's own servers.
 */
export function senderOf(identity: Identity, scope: Scope): Sender {
  return isPublishable(identity.scopes, scope)
    ? { id: `key:${identity.keyId}`, kind: 'publishable key' }
    : { id: identity.organizationId, kind: 'organization' };
}

/** The state of a sender's limit, as told to the client. */
export interface Allowance {
  allowed: boolean;
  limit: number;
  /** Requests left in this window, as far as this process knows. */
  remaining: number;
  resetSeconds: number;
}

interface Window {
  number: number;
  /** Requests that this process has leased and not yet used. */
  share: number;
  /** Requests that all processes have leased, as of this process's last lease. */
  granted: number;
  leasing: Promise<void> | null;
}

/**
 * Limits the requests per minute and sender, over any number of processes. Each process counts in memory and leases 1/20 of the window at a
 * time from one row in PostgreSQL. So all processes together never exceed the limit, and only one request per share costs a statement. Windows are
 * fixed: around the end of a minute, up to twice the limit can pass within 60 s.
 */
export class RateLimit {
  readonly #windows = new Map<string, Window>();
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limit: number;
  readonly #maxSenders: number;

  /**
   * @param limit requests per minute and sender; 0 for no limit
   * @param most number of senders in memory
   */
  constructor(database: Database, clock: Clock, log: Logger, limit: number, most = maxSenders) {
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.#limit = limit;
    this.#maxSenders = most;
  }

  /** Number of senders in memory. */
  get senders(): number {
    return this.#windows.size;
  }

  /** Counts one request. Returns a promise only if a share must be leased first, and null if there is no limit. */
  take(senderId: string): Allowance | null | Promise<Allowance> {
    if (this.#limit === 0) return null;
    const window = this.#windowOf(senderId);
    return this.#mayLease(window) ? this.#leaseAndCount(senderId, window) : this.#count(window);
  }

  #mayLease(window: Window): boolean {
    return window.share === 0 && window.granted < this.#limit;
  }

  async #leaseAndCount(senderId: string, window: Window): Promise<Allowance> {
    // Ends even with several processes: each round leases some requests or finds the window exhausted.
    while (this.#mayLease(window)) {
      window.leasing ??= this.#lease(senderId, window).finally(() => { window.leasing = null; });
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

  #windowOf(senderId: string): Window {
    const number = Math.floor(this.#clock.now() / windowMs);
    const known = this.#windows.get(senderId);
    if (known?.number === number && this.#windows.size < this.#maxSenders) return known;
    this.#windows.delete(senderId);
    if (this.#windows.size >= this.#maxSenders) this.#makeRoom(number);
    const window: Window = known?.number === number ? known : { number, share: 0, granted: 0, leasing: null };
    this.#windows.set(senderId, window);
    return window;
  }

  /**
   * Forgets windows that are over, which come first because a new window is inserted last. If there are none, forgets the sender that sent its
   * last request longest ago: it loses its unused share of the window, at most 5% of its limit, and its next request leases another share. So the
   * limit still holds while the database answers.
   */
  #makeRoom(number: number): void {
    for (const [id, window] of this.#windows) {
      if (window.number >= number && this.#windows.size < this.#maxSenders) return;
      this.#windows.delete(id);
    }
  }

  async #lease(senderId: string, window: Window): Promise<void> {
    const wanted = Math.max(1, Math.floor(this.#limit / sharesPerWindow));
    try {
      const { share, granted } = await leaseShare(this.#database, senderId, window.number, wanted, this.#limit);
      window.share += share;
      window.granted = granted;
    } catch (error) {
      // The limit must not cause an outage while the database is unavailable: until then, each process applies the full limit alone.
      this.#log.warn({ err: error, sender_id: senderId }, 'database unavailable: this process applies the rate limit alone');
      window.share += this.#limit;
      window.granted = this.#limit;
    }
  }
}

/** Leases up to `wanted` of the remaining requests of a window. A share of 0 means that none remain. */
async function leaseShare(
  database: Database, senderId: string, windowNumber: number, wanted: number, limit: number,
): Promise<{ share: number; granted: number }> {
  // If the clock of this process is behind, the share comes from the newer window, so the old window is not opened again.
  const used = 'CASE WHEN stored.window_number >= $2 THEN stored.granted ELSE 0 END';
  const share = `greatest(0, least($3::integer, $4::integer - ${used}))`;
  // The column is older than the limits of publishable keys: its value is the id of a sender.
  const { rows } = await database.query<{ share: number; granted: number }>(
    `INSERT INTO rate_limit_windows AS stored (organization_id, window_number, granted, last_share)
     VALUES ($1, $2, least($3::integer, $4::integer), least($3::integer, $4::integer))
     ON CONFLICT (organization_id) DO UPDATE
       SET window_number = greatest(stored.window_number, $2), granted = ${used} + ${share}, last_share = ${share}
     RETURNING last_share AS share, granted`,
    [senderId, windowNumber, wanted, limit],
  );
  return rows[0] ?? { share: 0, granted: limit };
}
