import type { Client, QueryResult, QueryResultRow } from 'pg';
import type { Connection, Database, Session, SessionOptions } from '@vouch/platform/database/database';
import { translateDatabaseError } from '@vouch/platform/database/databaseErrors';
import { runTransaction } from '@vouch/platform/database/runTransaction';
import type { SimulatedProcess } from '../kernel/simulatedProcess.ts';
import type { DatabaseServer, Notification } from './databaseServer.ts';
import { ServerConnection, type PlannedFaults } from './serverConnection.ts';

type Hear = (payload: string) => void;

/**
 * The database as one simulated process sees it. Transactions run through the production code; pool, sessions and listening are short replacements,
 * because the production code of these opens sockets.
 */
export class SimulatedDatabase implements Database {
  readonly faults: PlannedFaults = { commit: null, statement: null, cutOffUntilMs: 0 };
  readonly #process: SimulatedProcess;
  readonly #server: DatabaseServer;
  readonly #idle: ServerConnection[] = [];
  readonly #hearers = new Map<string, Set<Hear>>();
  /** Until this simulated time in ms, the process gets no notifications: it reconnects. */
  deafUntilMs = 0;

  constructor(process: SimulatedProcess, server: DatabaseServer) {
    this.#process = process;
    this.#server = server;
  }

  async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<QueryResult<Row>> {
    return this.#withConnection(async (connection) => {
      try {
        return await connection.query(sql, values) as QueryResult<Row>;
      } catch (error) {
        throw translateDatabaseError(error, sql);
      }
    });
  }

  transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result> {
    return this.#withConnection((connection) => runTransaction(asClient(connection), 'BEGIN', work, () => connection.close()));
  }

  async openSession({ readOnly = false, idleTransactionMs }: SessionOptions): Promise<Session> {
    const connection = await this.#open(idleTransactionMs);
    if (readOnly) await connection.query('SET default_transaction_read_only = on');
    let turns: Promise<unknown> = Promise.resolve();
    const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
      const result = turns.then(work);
      turns = result.catch(() => {});
      return result;
    };
    const answerOf = async (sql: string, values: readonly unknown[], answerMs: number | undefined): Promise<QueryResult> => {
      const answer = connection.query(sql, values);
      if (answerMs === undefined) return answer;
      const answered = new AbortController();
      const late = this.#process.system.timers.sleep(answerMs, answered.signal).then(() => { throw new Error('Query read timeout'); });
      answer.catch(() => {}).finally(() => answered.abort());
      late.catch(() => {});
      return Promise.race([answer, late]);
    };
    return {
      lost: connection.lost.signal,
      query: <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = [], answerMs?: number) => inTurn(async () => {
        try {
          return await answerOf(sql, values, answerMs) as QueryResult<Row>;
        } catch (error) {
          if ((error as Error).message === 'Query read timeout') connection.close();
          throw translateDatabaseError(error, sql);
        }
      }),
      transaction: (work) => inTurn(() => runTransaction(asClient(connection), readOnly ? 'BEGIN READ WRITE' : 'BEGIN', work, () => connection.close())),
      close: () => connection.close(),
    };
  }

  async listen(channel: string, heard: Hear): Promise<() => Promise<void>> {
    const hearers = this.#hearers.get(channel) ?? new Set<Hear>();
    this.#hearers.set(channel, hearers.add(heard));
    await this.#startListening(channel);
    return async () => void hearers.delete(heard);
  }

  async elect<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result | null> {
    const connection = await this.#open();
    try {
      const { rows } = await connection.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [`vouch:${name}`]);
      return (rows[0] as { won: boolean }).won ? await work(connection.lost.signal) : null;
    } catch (error) {
      throw translateDatabaseError(error);
    } finally {
      connection.close();
    }
  }

  connectionsInUse(): number {
    return 0;
  }

  async close(): Promise<void> {
    for (const connection of this.#idle.splice(0)) connection.close();
  }

  /** Delivers a notification to this process, unless it is not connected. */
  hear({ channel, payload }: Notification): void {
    if (this.deafUntilMs > this.#server.simulation.nowMs) return;
    const { uniform } = this.#process.random;
    this.#process.after(0.5 + uniform() * 3, () => this.#call(channel, payload));
  }

  /** Loses notifications for a time. Then all hearers are called, as the production code does after it has reconnected. */
  deafen(milliseconds: number): void {
    this.deafUntilMs = this.#server.simulation.nowMs + milliseconds;
    this.#process.after(milliseconds, () => {
      for (const channel of this.#hearers.keys()) this.#call(channel, '');
    });
  }

  #startListening(channel: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.after(1, async () => {
        if (this.#server.isAway) return reject(translateDatabaseError(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })));
        await this.#server.listen(channel);
        resolve();
      });
    });
  }

  #call(channel: string, payload: string): void {
    for (const heard of this.#hearers.get(channel) ?? []) heard(payload);
  }

  async #withConnection<Result>(work: (connection: ServerConnection) => Promise<Result>): Promise<Result> {
    const connection = this.#takeIdle() ?? await this.#open();
    try {
      return await work(connection);
    } finally {
      if (connection.isOpen && !connection.lost.signal.aborted) this.#idle.push(connection);
    }
  }

  #takeIdle(): ServerConnection | undefined {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined || !connection.lost.signal.aborted) return connection;
    }
  }

  async #open(idleMs?: number): Promise<ServerConnection> {
    try {
      return await ServerConnection.open(this.#process, this.#server, this.faults, idleMs);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }
}

/** The production code of transactions uses only `query` of pg's client. */
function asClient(connection: ServerConnection): Client {
  return connection as unknown as Client;
}
