import type { Client, Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { Connection } from './database.ts';
import { translateDatabaseError } from './databaseErrors.ts';

/** Runs one SQL text. Without values, pg uses the simple protocol, which accepts several statements at once (needed by migrations). */
export function run<Row extends QueryResultRow>(
  on: Pool | PoolClient | Client, sql: string, values?: readonly unknown[],
): Promise<QueryResult<Row>> {
  return values === undefined || values.length === 0 ? on.query<Row>(sql) : on.query<Row>(sql, [...values]);
}

/**
 * Runs `work` in one transaction of a connection.
 * @param begin the statement that begins the transaction
 * @param onBroken called if the rollback fails too, so the connection is unusable
 */
export async function runTransaction<Result>(
  client: PoolClient | Client, begin: string, work: (transaction: Connection) => Promise<Result>, onBroken: () => void,
): Promise<Result> {
  let open = true;
  const transaction: Connection = {
    async query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) {
      if (!open) throw new Error('the transaction has ended; a query of it was not awaited');
      try {
        return await run<Row>(client, sql, values);
      } catch (error) {
        throw translateDatabaseError(error);
      }
    },
  };
  try {
    await client.query(begin).catch((error: unknown) => { throw translateDatabaseError(error); });
    const result = await work(transaction);
    open = false;
    const { command } = await client.query('COMMIT').catch((error: unknown) => {
      throw translateDatabaseError(error, 'COMMIT');
    });
    // PostgreSQL answers the commit of a failed transaction with ROLLBACK and without an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements had failed');
    return result;
  } catch (error) {
    open = false;
    await client.query('ROLLBACK').catch(onBroken);
    throw error;
  }
}
