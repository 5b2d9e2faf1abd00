import type { Hex, OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import { toHex } from '../requests/storedOperation.ts';

/** Cost of one signer's messages of one kind. */
export interface BillRow {
  deployment: string;
  signer: Hex;
  kind: OperationKind;
  /** Number of entries in transactions; a message that a transaction refused counts for that transaction too. */
  messages: number;
  gas: bigint;
  wei: bigint;
}

/**
 * Computes the gas bill by deployment, signer and kind of message. Its sum equals the receipts of all transactions with operations,
 * to the wei. Mined transactions that are not confirmed yet count.
 * @param range `from` is included, `to` is excluded
 */
export async function readGasBill(connection: Connection, scope: RowScope, range: { from: Date; to: Date }): Promise<BillRow[]> {
  const { rows } = await connection.query<{ deployment: string; signer: Buffer; kind: OperationKind; messages: string; gas: string; wei: string }>(
    `select b.deployment, r.signer, r.kind, count(*) as messages, sum(m.gas_used)::numeric as gas, sum(m.cost_wei) as wei
     from gateway_batches b join gateway_members m using (batch_id) join gateway_requests r on r.request_id = m.request_id
     where ${withinScope('b.deployment', 3)} and b.state in ('mined', 'confirmed') and b.mined_at >= $1 and b.mined_at < $2
     group by b.deployment, r.signer, r.kind order by wei desc, b.deployment, r.signer, r.kind`,
    [range.from, range.to, ...scopeValues(scope)]);
  return rows.map(({ deployment: of, signer, kind, messages, gas, wei }) => ({
    deployment: of, signer: toHex(signer), kind, messages: Number(messages), gas: BigInt(gas), wei: BigInt(wei),
  }));
}

/** Gas saved by batching: the gas of the applied messages if each signer had sent its own, minus the gas of all receipts. */
export interface GasSaved {
  /** Gas by receipts, fillers included. */
  gasUsed: bigint;
  /** Gas per kind of a message sent alone, times the number of applied messages in mined and confirmed transactions. */
  gasAlone: bigint;
  /** `gasAlone - gasUsed`; negative if few messages were batched. */
  gasSaved: bigint;
  formula: string;
}

/** Formula of the saved gas in words, for records and metrics. */
export const savedFormula = 'sum over applied messages of the gas of that kind sent alone by its signer, minus the gas of all receipts';

/** Computes the saved gas. Reads one row per transaction, not per message. */
export async function readGasSaved(connection: Connection, deployment: string): Promise<GasSaved> {
  const { rows } = await connection.query<{ used: string; alone: string }>(
    `select coalesce(sum(gas_used), 0) as used, coalesce(sum(gas_alone), 0) as alone
     from gateway_batches where deployment = $1 and state in ('mined', 'confirmed')`, [deployment]);
  const [row] = rows;
  const gasUsed = BigInt(row?.used ?? 0);
  const gasAlone = BigInt(row?.alone ?? 0);
  return { gasUsed, gasAlone, gasSaved: gasAlone - gasUsed, formula: savedFormula };
}
