import type { QueryResult, QueryResultRow } from 'pg';

/** What runs SQL: the pool itself or one transaction. Values go in as parameters, never as text. */
export interface Connection {
  query<Row extends QueryResultRow = QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
}

/** The door to PostgreSQL. */
export interface Database extends Connection {
  /** Runs `work` in one transaction, which commits when it resolves and rolls back when it rejects. */
  transaction<Result>(work: (transaction: Connection) => Promise<Result>): Promise<Result>;
  /**
   * Calls `heard` for each NOTIFY on the channel; a lost connection is opened again.
   * A wake-up only: callers poll as well. Returns a function that stops listening.
   */
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  /** Runs `work` while holding a session advisory lock, or returns null at once where another process holds it. */
  elect<Result>(name: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result | null>;
  close(): Promise<void>;
}
