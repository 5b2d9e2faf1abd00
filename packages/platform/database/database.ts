import type { QueryResult, QueryResultRow } from 'pg';

/** What runs SQL: the pool itself or one transaction. Values go in as parameters, never as text. */
export interface Connection {
  query<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

/** What runs statements one by one, or several as one transaction. */
export interface Transactor extends Connection {
  /** Runs `work` in one transaction, which commits when it resolves and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result>;
}

/** One connection, for work that must not share the pool. Its users take turns: a statement waits for the statements before it. */
export interface Session extends Transactor {
  /** @param answerMs how long the server may take; the connection is given up where it takes longer */
  query<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[], answerMs?: number): Promise<QueryResult<Row>>;
  /** Aborted when the connection is lost or closed. */
  lost: AbortSignal;
  /** Ends the connection, whatever runs on it. Never rejects. */
  close(): void;
}

export interface SessionOptions {
  /** As `pg_stat_activity` shows it. */
  name: string;
  /** Statements outside of `transaction` may only read: the server refuses others. */
  readOnly?: boolean;
  /** The server ends a transaction of this connection whose client says nothing for so long. */
  idleTransactionMs?: number;
}

/** The door to PostgreSQL. */
export interface Database extends Transactor {
  /** Opens a connection beside the pool. @throws Problem `database-unavailable` */
  openSession(options: SessionOptions): Promise<Session>;
  /**
   * Calls `heard` for each NOTIFY on the channel; a lost connection is opened again.
   * A wake-up only: callers poll as well. Returns a function that stops listening.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  /** Runs `work` while holding a session advisory lock, or returns null at once where another process holds it. */
  elect<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result | null>;
  close(): Promise<void>;
}
