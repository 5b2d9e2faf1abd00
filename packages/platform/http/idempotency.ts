import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Connection, Database } from '../database/database.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Clock } from '../process/systemInterfaces.ts';

const keptMs = 24 * 3_600_000;
const sweepRows = 1_000;

/** The answer of a POST request, as stored and sent again. */
export interface Answer {
  status: number;
  /** A value that is sent as JSON. */
  body: unknown;
  headers?: Record<string, string>;
}

interface StoredAnswer {
  request_hash: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Another request with the same key committed first. Thrown to roll back the transaction. */
class TakenByAnother extends Error {
  override readonly name = 'TakenByAnother';
}

/** Implements `Idempotency-Key`: a POST request takes effect once, and requests with the same key get the same answer for 24 hours. */
export class Idempotency {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Runs the effect of a request and records its key, in one transaction, and sends the answer. A repeated request gets the stored answer with the
   * header `idempotency-replayed: true`. If several requests with one key arrive at the same time, one runs and the others wait for it. An effect
   * that throws leaves no record, so the client can try again.
   * @param hash identifies the content of the request: `hashRequest(request)`, or for an upload the SHA-256 of its bytes
   * @throws Problem `idempotency-conflict` if the key was used with other parameters
   */
  async answer(
    request: FastifyRequest, reply: FastifyReply, hash: string, effect: (transaction: Connection) => Promise<Answer>,
  ): Promise<FastifyReply> {
    const key = parseKey(request);
    if (key === null) {
      const { status, headers = {}, body } = await this.#database.transaction(effect);
      return send(reply, status, headers, JSON.stringify(body));
    }
    const organizationId = request.identity.organizationId;
    const stored = await this.#find(organizationId, key) ?? await this.#run(organizationId, key, hash, reply, effect);
    if (stored === null) return reply;
    if (stored.request_hash !== hash) {
      throw platformErrors.problem(
        'idempotency-conflict',
        'This `Idempotency-Key` was used for a request with other parameters in the last 24 hours. Use a new key for a new request.',
      );
    }
    return send(reply, stored.status, { ...stored.headers, 'idempotency-replayed': 'true' }, stored.body);
  }

  /** Removes up to 1,000 records older than 24 hours. @returns number of removed records */
  async sweep(): Promise<number> {
    const { rowCount } = await this.#database.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM idempotency_keys WHERE created_at < $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [new Date(this.#clock.now() - keptMs), sweepRows],
    );
    return rowCount ?? 0;
  }

  async #find(organizationId: string, key: string): Promise<StoredAnswer | null> {
    const { rows } = await this.#database.query<StoredAnswer>(
      `SELECT request_hash, status, headers, body FROM idempotency_keys
       WHERE organization_id = $1 AND key = $2 AND created_at >= $3`,
      [organizationId, key, new Date(this.#clock.now() - keptMs)],
    );
    return rows[0] ?? null;
  }

  /**
   * Runs the effect, sends the answer and returns null. If another request with the key committed first, returns the stored answer of that request.
   */
  async #run(
    organizationId: string, key: string, hash: string, reply: FastifyReply, effect: (transaction: Connection) => Promise<Answer>,
  ): Promise<StoredAnswer | null> {
    try {
      const answer = await this.#database.transaction(async (transaction) => {
        await this.#claim(transaction, organizationId, key, hash);
        const { status, headers = {}, body } = await effect(transaction);
        const text = JSON.stringify(body);
        await transaction.query(
          'UPDATE idempotency_keys SET status = $3, headers = $4, body = $5 WHERE organization_id = $1 AND key = $2',
          [organizationId, key, status, JSON.stringify(headers), text],
        );
        return { status, headers, text };
      });
      send(reply, answer.status, answer.headers, answer.text);
      return null;
    } catch (error) {
      if (!(error instanceof TakenByAnother)) throw error;
      const stored = await this.#find(organizationId, key);
      if (stored !== null) return stored;
      throw platformErrors.problem('idempotency-conflict', 'The first request with this `Idempotency-Key` is still being processed. Repeat the request in a moment.');
    }
  }

  /** Inserts the record of the key. If a request with the same key is running, the insert waits for it in the unique index. @throws TakenByAnother */
  async #claim(transaction: Connection, organizationId: string, key: string, hash: string): Promise<void> {
    const now = this.#clock.now();
    const { rowCount } = await transaction.query(
      `INSERT INTO idempotency_keys AS stored (organization_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (organization_id, key) DO UPDATE
         SET request_hash = excluded.request_hash, created_at = excluded.created_at, status = NULL, headers = NULL, body = NULL
         WHERE stored.created_at < $5`,
      [organizationId, key, hash, new Date(now), new Date(now - keptMs)],
    );
    if (rowCount !== 1) throw new TakenByAnother('the idempotency key is taken');
  }
}

/** Returns the SHA-256 of method, route, path parameters, query and body of a parsed request. The order of fields does not matter. */
export function hashRequest(request: FastifyRequest): string {
  const { method, routeOptions, params, query, body } = request;
  return createHash('sha256').update(JSON.stringify(sorted([method, routeOptions.url, params, query, body ?? null]))).digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]);
}

function parseKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  const detail = 'The header Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.';
  throw platformErrors.problem('invalid-parameter', detail, { errors: [{ location: 'header:idempotency-key', detail }] });
}

function send(reply: FastifyReply, status: number, headers: Record<string, string>, body: string): FastifyReply {
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
}
