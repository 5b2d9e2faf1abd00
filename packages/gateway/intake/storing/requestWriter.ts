import type { Connection, Database } from '@vouch/platform/database/database';
import { Problem } from '@vouch/platform/errors/problem';
import { forgetOldDays } from '../../budgets/spendingStore.ts';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { findRequests, insertRequests, isBeyondBudget, messageKey, reopenRequest, type NewRequest, type StoredRequest } from '../../requests/requestStore.ts';
import type { Reservation, SpendingLedger } from './spendingLedger.ts';
import type { SignerQuotas } from './signerQuotas.ts';

interface Waiting {
  deployment: string;
  request: NewRequest;
  store(stored: StoredRequest): void;
  fail(error: unknown): void;
}

/** Stored messages, and the reasons of refused messages; both keyed by `messageKey`. */
interface Written {
  fresh: Map<string, StoredRequest>;
  refused: Map<string, Error>;
}

/** Maximum number of rows in one statement. */
const rowsAtOnce = 500;
/** Maximum number of waiting messages: about one second of the database's work. */
const maxWaiting = 5_000;
/** SQLSTATE of a deadlock, which occurs if two processes store the same two messages in opposite order. */
const deadlock = '40P01';
/** Attempts of one statement; PostgreSQL takes one second to detect each deadlock. */
const maxDeadlockTries = 5;

/**
 * Stores accepted messages. New messages collect while a statement runs, so many messages share one commit; the promise of each
 * message resolves when its row is durable. The same commit reserves each message's gas in its budgets.
 */
export class RequestWriter {
  readonly #database: Database;
  readonly #quotas: SignerQuotas;
  readonly #ledger: SpendingLedger;
  readonly #stored: () => void;
  #waiting: Waiting[] = [];
  #writing = false;
  /** UTC day on which old counters were last removed. */
  #day = '';

  /** @param stored called after new messages were committed */
  constructor(database: Database, quotas: SignerQuotas, ledger: SpendingLedger, stored: () => void) {
    this.#database = database;
    this.#quotas = quotas;
    this.#ledger = ledger;
    this.#stored = stored;
  }

  /**
   * Stores a message, reopens a failed or expired one, or returns the row of a stored one.
   * @throws Problem `quota`, `gateway-overloaded`, `database-unavailable`
   */
  write(deployment: string, request: NewRequest): Promise<StoredRequest> {
    if (this.#waiting.length >= maxWaiting) {
      throw gatewayErrors.problem('gateway-overloaded', `${maxWaiting} messages wait to be stored. Send the message again in a few seconds.`, {
        headers: { 'retry-after': '2' },
      });
    }
    return new Promise((store, fail) => {
      this.#waiting.push({ deployment, request, store, fail });
      if (this.#writing) return;
      this.#writing = true;
      // setImmediate lets all messages of this turn of the event loop share one statement.
      setImmediate(() => void this.#drain());
    });
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const deployment = this.#waiting[0]?.deployment ?? '';
      const other = this.#waiting.findIndex((each) => each.deployment !== deployment);
      const taken = this.#waiting.splice(0, Math.min(rowsAtOnce, other < 0 ? rowsAtOnce : other));
      try {
        await this.#writeTogether(deployment, taken);
      } catch (error) {
        for (const { fail } of taken) fail(error);
      }
    }
    this.#writing = false;
  }

  async #writeTogether(deployment: string, taken: readonly Waiting[]): Promise<void> {
    await this.#quotas.learn(this.#database, deployment, taken.map(({ request }) => request.signer));
    const first = new Map<string, Waiting>();
    for (const each of taken) if (!first.has(messageKey(each.request))) first.set(messageKey(each.request), each);
    const within = [...first.values()].filter(({ request }) => this.#hasPlace(request));
    const { fresh, refused } = await this.#insert(deployment, within.map(({ request }) => request)).catch((error: unknown) => {
      for (const { request } of within) this.#quotas.giveBack(request.signer);
      throw error;
    });
    if (fresh.size > 0) this.#stored();
    const repeats: Waiting[] = [];
    for (const each of taken) {
      const key = messageKey(each.request);
      const stored = first.get(key) === each ? fresh.get(key) : undefined;
      if (stored === undefined) repeats.push(each);
      else each.store(stored);
    }
    for (const { request } of within) if (!fresh.has(messageKey(request))) this.#quotas.giveBack(request.signer);
    if (repeats.length > 0) await this.#answerRepeats(deployment, repeats, refused);
  }

  /** Takes a place of the signer's quota if one is left. A message without a place can be a repeat, which needs no place. */
  #hasPlace({ signer }: NewRequest): boolean {
    try {
      this.#quotas.take(signer);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  async #insert(deployment: string, requests: readonly NewRequest[]): Promise<Written> {
    if (requests.length === 0) return { fresh: new Map(), refused: new Map() };
    return this.#insertDespiteDeadlocks(async (reservation) => {
      const written = await this.#insertOnce(reservation, deployment, requests);
      if (reservation.day !== this.#day) {
        this.#day = reservation.day;
        // A failed removal is retried the next day.
        await forgetOldDays(this.#database, reservation.day).catch(() => {});
      }
      return written;
    });
  }

  /**
   * Inserts all messages with one statement. If one message exceeds a budget, the statement inserts none, and each message is
   * checked.
   */
  async #insertOnce(reservation: Reservation, deployment: string, requests: readonly NewRequest[]): Promise<Written> {
    try {
      const fresh = await insertRequests(this.#database, deployment, requests, reservation.day, reservation.budgetsOf(requests));
      return { fresh, refused: new Map() };
    } catch (error) {
      if (!isBeyondBudget(error)) throw error;
      return this.#database.transaction((transaction) => insertWithin(transaction, reservation, deployment, requests));
    }
  }

  /**
   * Retries after a deadlock, which rolls the statement back. The other process can send new messages meanwhile, so one retry
   * may not suffice.
   */
  async #insertDespiteDeadlocks<Result>(write: (reservation: Reservation) => Promise<Result>): Promise<Result> {
    const reservation = await this.#ledger.begin();
    for (let tries = 1; ; tries += 1) {
      try {
        return await write(reservation);
      } catch (error) {
        if ((error as { code?: unknown }).code !== deadlock || tries === maxDeadlockTries) throw error;
      }
    }
  }

  async #answerRepeats(deployment: string, repeats: readonly Waiting[], refused: ReadonlyMap<string, Error>): Promise<void> {
    const found = await findRequests(this.#database, deployment, repeats.map(({ request }) => request));
    for (const { request, store, fail } of repeats) {
      const before = found.get(messageKey(request));
      try {
        if (before === undefined) {
          this.#quotas.check(request.signer);
          throw refused.get(messageKey(request)) ?? gone();
        }
        store(isOpenable(before) ? await this.#reopen(deployment, request, before) : before);
      } catch (error) {
        fail(error);
      }
    }
  }

  async #reopen(deployment: string, request: NewRequest, before: StoredRequest): Promise<StoredRequest> {
    this.#quotas.take(request.signer);
    const opened = await this.#insertDespiteDeadlocks((reservation) => this.#database.transaction(async (transaction) => {
      const [refusal] = await reservation.take(transaction, deployment, [request]);
      if (refusal !== undefined && refusal !== null) throw refusal;
      const row = await reopenRequest(transaction, deployment, request, reservation.day);
      if (row === null) await reservation.giveBack(transaction, deployment, [request]);
      return row;
    }));
    if (opened === null) return before;
    this.#stored();
    return opened;
  }
}

/**
 * Reserves gas for new messages and stores the messages that fit. If another process stored a message meanwhile, its gas is
 * released.
 */
async function insertWithin(transaction: Connection, reservation: Reservation, deployment: string, requests: readonly NewRequest[]): Promise<Written> {
  const before = await findRequests(transaction, deployment, requests);
  const unknown = requests.filter((request) => !before.has(messageKey(request)));
  const refusals = await reservation.take(transaction, deployment, unknown);
  const refused = new Map<string, Error>();
  unknown.forEach((request, at) => {
    const refusal = refusals[at] ?? null;
    if (refusal !== null) refused.set(messageKey(request), refusal);
  });
  const admitted = unknown.filter((request) => !refused.has(messageKey(request)));
  const fresh = admitted.length === 0 ? new Map<string, StoredRequest>() : await insertRequests(transaction, deployment, admitted, reservation.day);
  const repeated = admitted.filter((request) => !fresh.has(messageKey(request)));
  if (repeated.length > 0) await reservation.giveBack(transaction, deployment, repeated);
  return { fresh, refused };
}

function isOpenable({ state }: StoredRequest): boolean {
  return state === 'failed' || state === 'expired';
}

/** The quota had a place, but the message was neither stored nor found: its row was removed between two statements. */
function gone(): Error {
  return gatewayErrors.problem('gateway-overloaded', 'The message could not be stored. Send the message again in a few seconds.', { headers: { 'retry-after': '2' } });
}
