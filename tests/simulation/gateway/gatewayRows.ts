import type { Client } from 'pg';

/** Rows of the gateway as far as promises concern them. Byte strings are hex without 0x. */
export interface SeenRequest {
  id: string;
  sequence: number;
  kind: string;
  state: 'verified' | 'batched' | 'sent' | 'mined' | 'confirmed' | 'failed' | 'expired';
  code: string | null;
  reason: string | null;
  digest: string;
  signer: string;
  batch: string | null;
  /** Number of the block that must become final before the message ends, and the code of that end. */
  heldBlock: number | null;
  heldCode: string | null;
}

export interface SeenBatch {
  id: string;
  relayer: string;
  state: 'claimed' | 'prepared' | 'sent' | 'mined' | 'confirmed' | 'abandoned';
  purpose: string;
  nonce: number | null;
  reason: string | null;
  transaction: string | null;
  /** Gas and price of the stored receipt. */
  gas: number | null;
  price: number | null;
}

export interface SeenAttempt {
  hash: string;
  batch: string;
  broadcasts: number;
}

export interface SeenLease {
  name: string;
  fence: string | null;
  /** Ms since 1970. */
  until: number | null;
}

interface SeenSpending {
  scope: string;
  subject: string;
  kind: string;
  reserved: number;
  spent: number;
}

export interface GatewayRows {
  requests: SeenRequest[];
  batches: SeenBatch[];
  attempts: SeenAttempt[];
  leases: SeenLease[];
  spending: SeenSpending[];
}

const ended = `('confirmed', 'failed', 'expired')`;
const live = `('claimed', 'prepared', 'sent', 'mined')`;

const statement = `SELECT
  (SELECT coalesce(json_agg(r ORDER BY sequence), '[]') FROM (
     SELECT request_id AS id, sequence, kind, state, reason_code AS code, reason, encode(digest, 'hex') AS digest, encode(signer, 'hex') AS signer,
       batch_id AS batch, held_block AS "heldBlock", held_code AS "heldCode"
     FROM gateway_requests WHERE state NOT IN ${ended} OR sequence > $2 OR request_id = ANY($1::text[])) AS r) AS requests,
  (SELECT coalesce(json_agg(b ORDER BY id), '[]') FROM (
     SELECT batch_id AS id, encode(relayer, 'hex') AS relayer, state, purpose, nonce, reason, encode(transaction_hash, 'hex') AS transaction, gas_used AS gas, gas_price_wei AS price
     FROM gateway_batches WHERE state IN ${live} OR batch_id = ANY($3::text[])) AS b) AS batches,
  (SELECT coalesce(json_agg(a ORDER BY hash), '[]') FROM (
     SELECT encode(a.transaction_hash, 'hex') AS hash, batch_id AS batch, broadcasts
     FROM gateway_attempts a JOIN gateway_batches USING (batch_id) WHERE state IN ${live} OR batch_id = ANY($3::text[])) AS a) AS attempts,
  (SELECT coalesce(json_agg(l ORDER BY name), '[]') FROM (SELECT name, fence, extract(epoch FROM lease_until) * 1000 AS until FROM leases) AS l) AS leases,
  (SELECT coalesce(json_agg(s ORDER BY scope, subject, kind), '[]') FROM (
     SELECT scope, subject, kind, reserved_gas AS reserved, spent_gas AS spent FROM gateway_spending) AS s) AS spending`;

/** Reads what is open, what was open, and what is new. */
export async function readRows(control: Client, before: { open: readonly string[]; lastSequence: number; batches: readonly string[] }): Promise<GatewayRows> {
  const { rows: [found] } = await control.query<GatewayRows>({ name: 'inspect gateway', text: statement, values: [before.open, before.lastSequence, before.batches] });
  return found!;
}
