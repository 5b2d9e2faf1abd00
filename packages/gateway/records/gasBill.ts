import type { Hex, OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import { toHex } from '../requests/storedOperation.ts';

/** What the messages of one signer and kind cost. */
export interface BillRow {
  deployment: string;
  signer: Hex;
  kind: OperationKind;
  /** Places in transactions; a message that a transaction refused is charged for that one, too. */
  messages: number;
  gas: bigint;
  wei: bigint;
}

/**
 * The gas bill of deployments by operator and kind of message. Its sum is that of the receipts of all transactions with
 * operations, to the wei. Transactions that are mined and not confirmed yet count.
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

/** What batching saved: what the messages that took effect would have cost had each signer sent its own, less what all receipts say. */
export interface GasSaved {
  /** By the receipts, fillers included. */
  gasUsed: bigint;
  /** Gas of one message of each kind sent alone, times their number; of confirmed and mined transactions. */
  gasAlone: bigint;
  /** `gasAlone - gasUsed`; below 0 where little was batched. */
  gasSaved: bigint;
  formula: string;
}

export const savedFormula = 'sum over applied messages of the gas of that kind sent alone by its signer, minus the gas of all receipts';

/** One row per transaction is read, not per message. */
export async function readGasSaved(connection: Connection, deployment: string): Promise<GasSaved> {
  const { rows } = await connection.query<{ used: string; alone: string }>(
    `select coalesce(sum(gas_used), 0) as used, coalesce(sum(gas_alone), 0) as alone
     from gateway_batches where deployment = $1 and state in ('mined', 'confirmed')`, [deployment]);
  const [row] = rows;
  const gasUsed = BigInt(row?.used ?? 0);
  const gasAlone = BigInt(row?.alone ?? 0);
  return { gasUsed, gasAlone, gasSaved: gasAlone - gasUsed, formula: savedFormula };
}
