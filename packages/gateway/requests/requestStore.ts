import type { Operation, Signature } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { reservedGas, type BudgetName } from '../budgets/budget.ts';
import { requestChannel, type ClientFacts, type RequestRow, type RequestState } from './gatewayRequest.ts';
import { fromHex, storeOperation, storeSignature } from './storedOperation.ts';

/** A message that passed every check and is about to be stored. */
export interface NewRequest {
  requestId: string;
  operation: Operation;
  digest: Buffer;
  signer: Buffer;
  signature: Signature;
  client: ClientFacts;
  /** Chain time after which the message cannot take effect. */
  deadline: Date;
  receivedAt: Date;
  verifiedAt: Date;
  /** Number of the newest block known when the message was verified. */
  verifiedBlock: number;
  /** Set if no transaction is needed: the request is stored as confirmed with this sentence. */
  unchanged: string | null;
  /** Whether the chain may already have the value of the message; absent for no. */
  mayBeUnchanged?: boolean;
  /** License id charged for the message; absent or null if no license is charged. */
  license?: string | null;
  /** `traceparent` of the request with the message; absent or null if no span is sent. */
  traceparent?: string | null;
}

/** The parts of a stored row that the answer to a message needs. */
export interface StoredRequest {
  requestId: string;
  state: RequestState;
  batchId: string | null;
  /** Whether an earlier message had the same digest and signer. */
  repeated: boolean;
}

interface AnswerColumns {
  request_id: string;
  state: RequestState;
  batch_id: string | null;
  digest: Buffer;
  signer: Buffer;
}

/** Map key of a message: digest and signer. */
export function messageKey({ digest, signer }: { digest: Buffer; signer: Buffer }): string {
  return `${digest.toString('latin1')}${signer.toString('latin1')}`;
}

/** SQLSTATE of the division by zero with which `withinBudgets` rejects a statement. */
const divisionByZero = '22012';

/** Whether `insertRequests` failed because a budget cannot hold all messages; nothing was stored. */
export function isBeyondBudget(error: unknown): boolean {
  return (error as { code?: unknown }).code === divisionByZero;
}

/**
 * Adds the gas of the inserted rows to each budget counter, in the order of `reserveGas`. If a counter exceeds its budget,
 * `withinBudgets` divides by zero, which rolls back rows and counters together.
 */
const counting = `, counted AS (
       INSERT INTO gateway_spending (deployment, day, scope, subject, kind, reserved_gas)
       SELECT $1, $15::date, scope, subject, kind, sum(reserved_gas)
       FROM inserted CROSS JOIN LATERAL (VALUES ('signer', '0x' || encode(signer, 'hex')), ('license', budget_license), ('total', '')) AS charged (scope, subject)
       WHERE reserved_gas IS NOT NULL AND subject IS NOT NULL
       GROUP BY scope, subject, kind ORDER BY scope, subject, kind
       ON CONFLICT (deployment, day, scope, subject, kind) DO UPDATE SET reserved_gas = gateway_spending.reserved_gas + excluded.reserved_gas
       RETURNING scope, subject, kind, reserved_gas + spent_gas AS used)`;
const withinBudgets = `, (SELECT 1 / min(CASE WHEN used > gas THEN 0 ELSE 1 END) FROM counted
       JOIN unnest($19::text[], $20::text[], $21::text[], $22::bigint[]) AS budget (scope, subject, kind, gas) USING (scope, subject, kind)) AS within`;

/**
 * Stores messages in one statement, in the given order, and notifies the pipeline.
 * @param day UTC day whose budgets reserve gas for the messages; null to reserve none
 * @param budgets limits of the messages' counters, in gas per day; the statement then also counts. Null if the caller counts
 * @returns the new rows by `messageKey`; a message that was already stored has no entry
 * @throws an error for which `isBeyondBudget` is true if a budget is exceeded
 */
export async function insertRequests(
  connection: Connection, deployment: string, requests: readonly NewRequest[], day: string | null = null,
  budgets: readonly (BudgetName & { gasPerDay: number })[] | null = null,
): Promise<Map<string, StoredRequest>> {
  const { rows } = await connection.query<AnswerColumns>(
    `WITH inserted AS (
       INSERT INTO gateway_requests (deployment, request_id, kind, operation, digest, signer, signature, client, deadline, state,
         reason_code, reason, received_at, verified_at, verified_block, ended_at, budget_day, budget_license, reserved_gas, traceparent, held_code)
       SELECT $1, request_id, kind, operation::jsonb, digest, signer, signature, client::jsonb, deadline,
         CASE WHEN reason IS NULL THEN 'verified' ELSE 'confirmed' END,
         CASE WHEN reason IS NULL THEN NULL ELSE 'unchanged' END, reason, received_at, verified_at, verified_block,
         CASE WHEN reason IS NULL THEN NULL ELSE verified_at END,
         CASE WHEN reason IS NULL THEN $15::date END, license, reserved_gas, traceparent, CASE WHEN may_be_unchanged THEN 'unchanged' END
       FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[], $8::text[], $9::timestamptz[],
         $10::text[], $11::timestamptz[], $12::timestamptz[], $13::text[], $14::bigint[], $16::bigint[], $17::text[], $18::boolean[])
         WITH ORDINALITY AS given (request_id, kind, operation, digest, signer, signature, client, deadline, reason, received_at,
           verified_at, license, reserved_gas, verified_block, traceparent, may_be_unchanged, position)
       ORDER BY position
       ON CONFLICT (deployment, digest, signer) DO NOTHING
       RETURNING request_id, state, batch_id, digest, signer, kind, budget_license, reserved_gas)${budgets === null ? '' : counting}
     SELECT request_id, state, batch_id, digest, signer, (SELECT pg_notify('${requestChannel}', ''))${budgets === null ? '' : withinBudgets} FROM inserted`,
    [
      deployment,
      requests.map(({ requestId }) => requestId),
      requests.map(({ operation }) => operation.kind),
      requests.map(({ operation }) => JSON.stringify(storeOperation(operation))),
      requests.map(({ digest }) => digest),
      requests.map(({ signer }) => signer),
      requests.map(({ signature }) => storeSignature(signature)),
      requests.map(({ client }) => JSON.stringify(client)),
      requests.map(({ deadline }) => deadline),
      requests.map(({ unchanged }) => unchanged),
      requests.map(({ receivedAt }) => receivedAt),
      requests.map(({ verifiedAt }) => verifiedAt),
      requests.map(({ license }) => license ?? null),
      requests.map(({ operation, unchanged }) => (unchanged === null && day !== null ? reservedGas[operation.kind] : null)),
      day,
      requests.map(({ verifiedBlock }) => verifiedBlock),
      requests.map(({ traceparent }) => traceparent ?? null),
      requests.map(({ mayBeUnchanged }) => mayBeUnchanged ?? false),
      ...(budgets === null ? [] : [
        budgets.map(({ scope }) => scope), budgets.map(({ subject }) => subject), budgets.map(({ kind }) => kind), budgets.map(({ gasPerDay }) => gasPerDay),
      ]),
    ],
  );
  return answersOf(rows, false);
}

/** Returns the stored rows of these messages by `messageKey`. */
export async function findRequests(
  connection: Connection, deployment: string, messages: readonly { digest: Buffer; signer: Buffer }[],
): Promise<Map<string, StoredRequest>> {
  const { rows } = await connection.query<AnswerColumns>(
    `SELECT request_id, state, batch_id, digest, signer FROM gateway_requests
     WHERE deployment = $1 AND (digest, signer) IN (SELECT * FROM unnest($2::bytea[], $3::bytea[]))`,
    [deployment, messages.map(({ digest }) => digest), messages.map(({ signer }) => signer)],
  );
  return answersOf(rows, true);
}

/**
 * Reopens a failed or expired request under its id, at the end of the queue. A report has no nonce, so its message never changes:
 * without reopening, a report that failed once could not be sent again.
 * @param day as in `insertRequests`
 * @returns null if the row is no longer failed or expired, because another process reopened it
 */
export async function reopenRequest(
  connection: Connection, deployment: string, request: NewRequest, day: string | null = null,
): Promise<StoredRequest | null> {
  const { operation, digest, signer, signature, client, deadline, receivedAt, verifiedAt, verifiedBlock, unchanged, mayBeUnchanged = false, license = null, traceparent = null } = request;
  const gas = unchanged === null && day !== null ? reservedGas[operation.kind] : null;
  const { rows } = await connection.query<AnswerColumns>(
    `WITH opened AS (
       UPDATE gateway_requests SET sequence = DEFAULT, signature = $4, client = $5, deadline = $6, received_at = $7, verified_at = $8, verified_block = $13,
         state = CASE WHEN $9::text IS NULL THEN 'verified' ELSE 'confirmed' END,
         reason_code = CASE WHEN $9::text IS NULL THEN NULL ELSE 'unchanged' END, reason = $9,
         batch_id = NULL, simulated_at = NULL, batched_at = NULL, sent_at = NULL, mined_at = NULL,
         ended_at = CASE WHEN $9::text IS NULL THEN NULL::timestamptz ELSE $8 END, gas_used = NULL, cost_wei = NULL,
         budget_day = CASE WHEN $11::bigint IS NOT NULL THEN $10::date END, reserved_gas = $11, budget_license = $12, traceparent = $14,
         held_block = NULL, held_hash = NULL, held_code = CASE WHEN $15 THEN 'unchanged' END
       WHERE deployment = $1 AND digest = $2 AND signer = $3 AND state IN ('failed', 'expired')
       RETURNING request_id, state, batch_id, digest, signer)
     SELECT opened.*, (SELECT pg_notify('${requestChannel}', '')) FROM opened`,
    [deployment, digest, signer, storeSignature(signature), JSON.stringify(client), deadline, receivedAt, verifiedAt, unchanged, day, gas, license, verifiedBlock, traceparent, mayBeUnchanged],
  );
  return answersOf(rows, true).values().next().value ?? null;
}

/** Reads a request's row; null if no request has this id. */
export async function findRequest(connection: Connection, requestId: string): Promise<RequestRow | null> {
  const { rows } = await connection.query<RequestRow>('SELECT * FROM gateway_requests WHERE request_id = $1', [requestId]);
  return rows[0] ?? null;
}

/**
 * Lists the signer's open messages that change its state, in order of execution, at most 1,000. Reports change no state and
 * are omitted.
 */
export async function listOpenRequests(connection: Connection, deployment: string, signer: string): Promise<RequestRow[]> {
  const { rows } = await connection.query<RequestRow>(
    `SELECT * FROM gateway_requests
     WHERE deployment = $1 AND signer = $2 AND state IN ('verified', 'batched', 'sent', 'mined') AND kind <> 'report'
     ORDER BY sequence LIMIT 1000`,
    [deployment, fromHex(`0x${signer.slice(2)}`)],
  );
  return rows;
}

/**
 * Counts each signer's messages received since `since`. Keys are the signer's address bytes as latin1; signers without
 * messages are absent.
 */
export async function countRequests(
  connection: Connection, deployment: string, signers: readonly Buffer[], since: Date,
): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ signer: Buffer; count: number }>(
    `SELECT signer, count(*)::int AS count FROM gateway_requests
     WHERE deployment = $1 AND signer = ANY($2::bytea[]) AND received_at >= $3 GROUP BY signer`,
    [deployment, signers, since],
  );
  return new Map(rows.map(({ signer, count }) => [signer.toString('latin1'), count]));
}

function answersOf(rows: readonly AnswerColumns[], repeated: boolean): Map<string, StoredRequest> {
  return new Map(rows.map((row) => [
    messageKey(row), { requestId: row.request_id, state: row.state, batchId: row.batch_id, repeated },
  ]));
}
