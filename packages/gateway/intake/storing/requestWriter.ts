import type { Database } from '@vouch/platform/database/database';
import { Problem } from '@vouch/platform/errors/problem';
import { gatewayErrors } from '../../errors.ts';
import { findRequests, insertRequests, messageKey, reopenRequest, type NewRequest, type StoredRequest } from '../../requests/requestStore.ts';
import type { SignerQuotas } from './signerQuotas.ts';

interface Waiting {
  deployment: string;
  request: NewRequest;
  store(stored: StoredRequest): void;
  fail(error: unknown): void;
}

/** Rows of one statement. */
const rowsAtOnce = 500;
/** More waiting than this means that the database is too slow for what comes in: a second of its work. */
const maximumWaiting = 5_000;
/** SQLSTATE of a deadlock: two processes stored the same two messages in another order. */
const deadlock = '40P01';

/**
 * Stores accepted messages. While one statement is on its way the next ones gather, so that many messages share one commit and
 * each is durable when its promise resolves.
 */
export class RequestWriter {
  readonly #database: Database;
  readonly #quotas: SignerQuotas;
  readonly #stored: () => void;
  #waiting: Waiting[] = [];
  #writing = false;

  /** @param stored called after new messages were committed */
  constructor(database: Database, quotas: SignerQuotas, stored: () => void) {
    this.#database = database;
    this.#quotas = quotas;
    this.#stored = stored;
  }

  /**
   * Stores a message, opens it again, or finds it stored already.
   * @throws Problem `quota`, `gateway-overloaded`, `database-unavailable`
   */
  write(deployment: string, request: NewRequest): Promise<StoredRequest> {
    if (this.#waiting.length >= maximumWaiting) {
      throw gatewayErrors.problem('gateway-overloaded', `${maximumWaiting} messages wait to be stored. Send the message again in a few seconds.`, {
        headers: { 'retry-after': '2' },
      });
    }
    return new Promise((store, fail) => {
      this.#waiting.push({ deployment, request, store, fail });
      if (this.#writing) return;
      this.#writing = true;
      // What else this turn of the event loop brings goes into the same statement.
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
    const fresh = await this.#insert(deployment, within.map(({ request }) => request)).catch((error: unknown) => {
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
    if (repeats.length > 0) await this.#answerRepeats(deployment, repeats);
  }

  /** Whether the quota has a place for it, which is taken. One without may be a repeat, which needs none: it is looked up then. */
  #hasPlace({ signer }: NewRequest): boolean {
    try {
      this.#quotas.take(signer);
      return true;
    } catch (error) {
      if (error instanceof Problem) return false;
      throw error;
    }
  }

  async #insert(deployment: string, requests: readonly NewRequest[]): Promise<Map<string, StoredRequest>> {
    if (requests.length === 0) return new Map();
    try {
      return await insertRequests(this.#database, deployment, requests);
    } catch (error) {
      if ((error as { code?: unknown }).code !== deadlock) throw error;
      return insertRequests(this.#database, deployment, requests);
    }
  }

  async #answerRepeats(deployment: string, repeats: readonly Waiting[]): Promise<void> {
    const found = await findRequests(this.#database, deployment, repeats.map(({ request }) => request));
    for (const { request, store, fail } of repeats) {
      const before = found.get(messageKey(request));
      try {
        if (before === undefined) this.#quotas.take(request.signer);
        if (before === undefined) throw gone();
        store(isOpenable(before) ? await this.#reopen(deployment, request, before) : before);
      } catch (error) {
        fail(error);
      }
    }
  }

  async #reopen(deployment: string, request: NewRequest, before: StoredRequest): Promise<StoredRequest> {
    this.#quotas.take(request.signer);
    const opened = await reopenRequest(this.#database, deployment, request);
    if (opened === null) return before;
    this.#stored();
    return opened;
  }
}

function isOpenable({ state }: StoredRequest): boolean {
  return state === 'failed' || state === 'expired';
}

/** Neither stored now nor there before although the quota had a place: somebody removed the row between two statements. */
function gone(): Error {
  return gatewayErrors.problem('gateway-overloaded', 'The message could not be stored. Send it again in a few seconds.', { headers: { 'retry-after': '2' } });
}
