import type { QueryResult, QueryResultRow } from 'pg';

/** Runs SQL on the pool or in one transaction. Values are passed as parameters, never inserted into the SQL text. */
export interface Connection {
  query<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

/** Runs single statements, or several in one transaction. */
export interface Transactor extends Connection {
  /** Runs `work` in one transaction. The transaction commits when `work` resolves, and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result>;
}

/** One dedicated connection, for work that must not share the pool. Concurrent statements run one after the other. */
export interface Session extends Transactor {
  /** @param answerMs time in ms within which the server must answer; otherwise the connection is closed */
  query<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[], answerMs?: number): Promise<QueryResult<Row>>;
  /** Aborted when the connection is lost or closed. */
  lost: AbortSignal;
  /** Ends the connection, even if a statement is running. Never rejects. */
  close(): void;
}

export interface SessionOptions {
  /** The connection's name in `pg_stat_activity`. */
  name: string;
  /** If true, statements outside of `transaction` may only read; the server rejects others. */
  readOnly?: boolean;
  /** Time in ms after which the server ends a transaction of this connection whose client sends no statement. */
  idleTransactionMs?: number;
}

/** The interface to PostgreSQL. */
export interface Database extends Transactor {
  /** Opens a connection outside the pool. @throws Problem `database-unavailable` */
  openSession(options: SessionOptions): Promise<Session>;
  /**
   * Calls `heard` for each NOTIFY on the channel. A lost connection is reopened, and notifications may be missed meanwhile, so callers must also
   * poll.
   * @returns a function that stops listening
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  /**
   * Runs `work` while holding a session advisory lock. Returns null at once if another process holds the lock. The signal is aborted if the
   * connection, and with it the lock, is lost.
   */
  elect<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result | null>;
  /** Returns the number of connections of the pool that are in use. */
  connectionsInUse(): number;
  close(): Promise<void>;
}
