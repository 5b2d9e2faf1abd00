import type { Connection } from '@vouch/platform/database/database';

/** Name of the deployment of the rows that `storeEnded` stores. */
export const endedDeployment = '31337:0xservice:0123456789abcdef';

/** Ended transactions to store. */
export interface EndedRows {
  /** Number of the oldest transaction, which is also its nonce; default 1. */
  first?: number;
  transactions: number;
  messagesEach: number;
  /** Time of the newest transaction. */
  newest: Date;
  /** Time in ms between two transactions. */
  everyMs: number;
}

/**
 * Stores ended transactions and their messages as the pipeline leaves them; every tenth transaction is abandoned and its messages failed. The
 * newest transaction has the highest number and block.
 */
export async function storeEnded(connection: Connection, { first = 1, transactions, messagesEach, newest, everyMs }: EndedRows): Promise<void> {
  const last = first + transactions - 1;
  const ids = 'generate_series($1::int, $2::int) as place';
  const places = `${ids}, lateral (select $3::timestamptz - make_interval(secs => ($2::int - place) * $4::float8) as at) time`;
  const named = `'gb_ended_' || place`;
  const hash = `decode(lpad(to_hex(place), 64, '0'), 'hex')`;
  const state = (refused: string): string => `case when place % 10 = 3 then '${refused}' else 'confirmed' end`;
  const timed = [first, last, newest, everyMs / 1_000];
  await connection.query(
    `insert into gateway_lines (deployment, relayer, state, updated_at) values ($1, '\\x09', 'running', now()) on conflict do nothing`, [endedDeployment]);
  await connection.query(
    `insert into gateway_batches (batch_id, deployment, relayer, state, nonce, operations, gas_alone, created_at, mined_at, ended_at, transaction_hash, block_number, gas_used)
     select ${named}, $5, '\\x09', ${state('abandoned')}, place, $6::int, 200000, at, at, at, ${hash}, case when place % 10 <> 3 then place end, 90000 + place
     from ${places}`, [...timed, endedDeployment, messagesEach]);
  await connection.query(
    `insert into gateway_attempts (transaction_hash, batch_id, nonce, raw, max_fee_wei, priority_fee_wei, head_number, created_at)
     select ${hash}, ${named}, place, '', 1, 1, place, at from ${places}`, timed);
  await connection.query(
    `insert into gateway_orders (order_id, batch_id, kind, state, reason, created_at)
     select 'go_' || place, ${named}, 'cancel', 'refused', 'too late', at from ${places}`, timed);
  if (messagesEach === 0) return;
  await connection.query(
    `insert into gateway_requests (request_id, deployment, kind, operation, digest, signer, signature, client, deadline, state, batch_id, received_at, verified_at, ended_at, gas_used, cost_wei)
     select 'gw_ended_' || place || '_' || position, $5, 'report', '{}', decode(lpad(to_hex(place * 1000 + position), 64, '0'), 'hex'),
       decode(lpad(to_hex(position), 40, '0'), 'hex'), decode(repeat('00', 65), 'hex'), '{}', at, ${state('failed')}, ${named}, at, at, at,
       12000 + place, (12000 + place) * 1000000007::numeric
     from ${places}, generate_series(0, $6::int - 1) as position`, [...timed, endedDeployment, messagesEach]);
  await connection.query(
    `insert into gateway_members (batch_id, position, request_id, gas_used, cost_wei, outcome)
     select ${named}, position, 'gw_ended_' || place || '_' || position, 12000 + place, (12000 + place) * 1000000007::numeric, 'applied'
     from ${ids}, generate_series(0, $3::int - 1) as position`, [first, last, messagesEach]);
}
