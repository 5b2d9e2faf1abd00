import type { Hex } from '@vouch/chain/messages/operation';
import type { Connection } from '@vouch/platform/database/database';
import { fromHex, toHex } from '../requests/storedOperation.ts';

/** Nodes that sent anything since the beginning of a day and whose activity on it is not reported or on its way, the oldest first. */
export async function readUnreported(connection: Connection, deployment: string, day: { date: number; begin: Date }, limit: number): Promise<Hex[]> {
  const { rows } = await connection.query<{ signer: Buffer }>(
    `select signer from gateway_requests r
     where deployment = $1 and received_at >= $2 and not exists (
       select from gateway_activity a join gateway_batches b using (batch_id)
       where a.deployment = $1 and a.date = $3 and a.node = r.signer and b.state <> 'abandoned')
     group by signer order by min(received_at) limit $4`,
    [deployment, day.begin, day.date, limit]);
  return rows.map(({ signer }) => toHex(signer));
}

/** Notes that a transaction reports these nodes. One that was given up before is replaced. */
export async function storeReported(connection: Connection, deployment: string, date: number, nodes: readonly Hex[], batchId: string): Promise<void> {
  await connection.query(
    `insert into gateway_activity (deployment, date, node, batch_id) select $1, $2, node, $4 from unnest($3::bytea[]) as given (node)
     on conflict (deployment, date, node) do update set batch_id = excluded.batch_id`,
    [deployment, date, nodes.map(fromHex), batchId]);
}
