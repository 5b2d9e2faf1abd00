import type { Hex, OperationKind } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { scopeValues, withinScope, type RowScope } from '../requests/rowScope.ts';
import { toHex } from '../requests/storedOperation.ts';

/** Cost of one signer's messages of one kind. */
interface BillRow {
  deployment: string;
  signer: Hex;
  kind: OperationKind;
  /** Number of entries in transactions; a message that a transaction refused counts for that transaction too. */
  messages: number;
  gas: bigint;
  wei: bigint;
}

/** A gas bill. */
export interface GasBill {
  rows: BillRow[];
  /**
   * Midnight (UTC) after the newest day from which messages were removed: before it, removed messages count at the beginning of the day on which they
   * were mined. Null if no message was removed.
   */
  byDayBefore: Date | null;
}

/**
 * Computes the gas bill by deployment, signer and kind of message. Its sum equals the receipts of all transactions with operations,
 * to the wei, also after their rows were removed. Mined transactions that are not confirmed yet count.
 * @param range `from` is included, `to` is excluded
 */
export async function loadGasBill(connection: Connection, scope: RowScope, range: { from: Date; to: Date }): Promise<GasBill> {
  const { rows } = await connection.query<{ deployment: string; signer: Buffer; kind: OperationKind; messages: string; gas: string; wei: string }>(
    `select deployment, signer, kind, sum(messages) as messages, sum(gas) as gas, sum(wei) as wei from (
       select b.deployment, r.signer, r.kind, count(*) as messages, sum(m.gas_used)::numeric as gas, sum(m.cost_wei) as wei
       from gateway_batches b join gateway_members m using (batch_id) join gateway_requests r on r.request_id = m.request_id
       where ${withinScope('b.deployment', 3)} and b.state in ('mined', 'confirmed') and b.mined_at >= $1 and b.mined_at < $2
       group by b.deployment, r.signer, r.kind
       union all
       select deployment, signer, kind, messages, gas, wei from gateway_daily_bills
       where ${withinScope('deployment', 3)} and day >= $1::timestamptz at time zone 'UTC' and day < $2::timestamptz at time zone 'UTC') part
     group by deployment, signer, kind order by wei desc, deployment, signer, kind`,
    [range.from, range.to, ...scopeValues(scope)]);
  const { rows: [newest] } = await connection.query<{ before: Date | null }>(
    `select (max(day) + 1)::timestamp at time zone 'UTC' as before from gateway_daily_bills where ${withinScope('deployment', 1)}`, scopeValues(scope));
  return {
    rows: rows.map(({ deployment: of, signer, kind, messages, gas, wei }) => ({
      deployment: of, signer: toHex(signer), kind, messages: Number(messages), gas: BigInt(gas), wei: BigInt(wei),
    })),
    byDayBefore: newest?.before ?? null,
  };
}
