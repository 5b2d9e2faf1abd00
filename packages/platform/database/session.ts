import { Client, type ClientConfig, type QueryConfig, type QueryResultRow } from 'pg';
import { disownUncaught } from '../process/containUncaught.ts';
import type { Timers } from '../process/systemInterfaces.ts';
import type { Session, SessionOptions } from './database.ts';
import { translateDatabaseError } from './databaseErrors.ts';
import { runTransaction } from './runTransaction.ts';

/** Time in ms for an orderly end of the connection before its socket is destroyed. */
const farewellMs = 1_000;

/** Opens a dedicated connection. @throws Problem `database-unavailable` */
export async function openSession(config: ClientConfig, options: SessionOptions, timers: Timers): Promise<Session> {
  const { name, readOnly = false, idleTransactionMs } = options;
  const client = new Client({
    ...config, application_name: name, ...(idleTransactionMs === undefined ? {} : { idle_in_transaction_session_timeout: idleTransactionMs }),
  });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  let turns: Promise<unknown> = Promise.resolve();

  function close(): void {
    lost.abort();
    // `end` alone waits for the server. If the server is unreachable, the kernel would resend the last message for minutes.
    void Promise.race([client.end().catch(() => {}), timers.sleep(farewellMs, undefined, false)]).then(() => client.connection.stream.destroy());
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = turns.then(work);
    turns = result.catch(() => {});
    return result;
  }

  try {
    await disownUncaught(() => client.connect());
    if (readOnly) await client.query('SET default_transaction_read_only = on');
  } catch (error) {
    close();
    throw translateDatabaseError(error);
  }
  return {
    lost: lost.signal,
    query: <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = [], answerMs?: number) => inTurn(async () => {
      try {
        return await client.query<Row>({ text: sql, values: [...values], ...(answerMs === undefined ? {} : { query_timeout: answerMs }) } as QueryConfig);
      } catch (error) {
        // A late answer would be taken for that of a later statement.
        if ((error as Error).message === 'Query read timeout') close();
        throw translateDatabaseError(error, sql);
      }
    }),
    transaction: (work) => inTurn(() => runTransaction(client, readOnly ? 'BEGIN READ WRITE' : 'BEGIN', work, close)),
    close,
  };
}
