import { getBlock } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { Connection } from '@vouch/platform/database/database';
import type { RelayerLane } from '../lanes/relayerLane.ts';
import { fromHex, toHex } from '../requests/storedOperation.ts';
import type { ChainView } from '../sending/confirming/chainView.ts';

/** Time in ms after which a relayer that no process works for counts as no longer configured. */
const goneMs = 3_600_000;

/**
 * Lists the mined batches of other relayers whose block is older than the view and not in the chain: a reorganization removed the block, and nobody has followed the
 * chain for that relayer since. Batches of relayers that are no longer configured are left out, because they would hold their signers for ever.
 * @param at time of the machine's clock
 * @returns batch ids
 * @throws if the chain does not answer
 */
export async function findLeftBatches(database: Connection, rpc: RpcClient, { deployment, relayer }: RelayerLane, { head, blocks }: ChainView, at: Date, signal?: AbortSignal): Promise<string[]> {
  const { rows } = await database.query<{ batch_id: string; block_number: string; block_hash: Buffer }>(
    `select batch_id, block_number, block_hash from gateway_batches join gateway_lines using (deployment, relayer)
     where deployment = $1 and relayer <> $2 and gateway_batches.state = 'mined' and block_number < $3 and updated_at > $4`,
    [deployment, fromHex(relayer), blocks[0]?.number ?? head.number, new Date(at.getTime() - goneMs)]);
  const now = await Promise.all(rows.map((row) => getBlock(rpc, Number(row.block_number), signal)));
  return rows.filter((row, place) => now[place]?.hash !== toHex(row.block_hash)).map(({ batch_id: id }) => id);
}
