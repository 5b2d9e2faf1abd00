import type { Connection } from '@vouch/platform/database/database';

/** Accepted messages that have not ended. */
export interface UnderWay {
  count: number;
  /** Earliest time of receipt and earliest time of verification; null if `count` is 0. */
  received: Date | null;
  verified: Date | null;
}

/** Counts with partial indexes, which exclude ended messages; mined messages are found through their batch. */
export async function countUnderWay(connection: Connection, deployment: string): Promise<UnderWay> {
  const { rows } = await connection.query<UnderWay>(
    `select sum(count)::int as count, min(received) as received, min(verified) as verified from (
       select count(*), min(received_at) as received, min(verified_at) as verified
       from gateway_requests where deployment = $1 and state in ('verified', 'batched', 'sent')
       union all
       select count(*), min(r.received_at), min(r.verified_at)
       from gateway_batches b join gateway_requests r using (batch_id)
       where b.deployment = $1 and b.state = 'mined' and r.state = 'mined') part`,
    [deployment]);
  return rows[0] ?? { count: 0, received: null, verified: null };
}
