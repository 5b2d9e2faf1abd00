import type { Hex } from '../messages/operation.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused } from './rpcErrors.ts';

/**
 * What a node said when it was given a transaction. Only `unsendable` says something about the transaction itself; the others
 * are the state of one node at one moment, and nothing follows from them but that the bytes are given again later.
 */
type BroadcastAnswer =
  | { kind: 'taken' }
  | { kind: 'rumour' | 'price' | 'funds' | 'busy' | 'unsendable'; said: string };

const patterns: readonly (readonly [RegExp, 'taken' | 'rumour' | 'price' | 'funds' | 'busy'])[] = [
  [/already (?:known|imported|in)|known transaction|alreadyexists/i, 'taken'],
  [/nonce/i, 'rumour'],
  [/insufficient (?:funds|balance)/i, 'funds'],
  [/underpriced|fee too low|less than block base fee|fee cap|below (?:the )?minimum|replacement/i, 'price'],
  [/full|busy|rate|limit reached|time.?out|internal|sync|overflow|unavailable/i, 'busy'],
];

/** Reads a refusal of `eth_sendRawTransaction`; nodes have no codes for it, only words. */
export function readRefusal(said: string): BroadcastAnswer {
  const kind = patterns.find(([pattern]) => pattern.test(said))?.[1] ?? 'unsendable';
  return kind === 'taken' ? { kind } : { kind, said };
}

/** Gives signed bytes to a node. @throws RpcUnavailable where nobody answered; the node may have taken them all the same */
export async function broadcast(rpc: RpcClient, raw: Hex, signal?: AbortSignal): Promise<BroadcastAnswer> {
  try {
    await rpc.request('eth_sendRawTransaction', [raw], signal);
    return { kind: 'taken' };
  } catch (error) {
    if (error instanceof RpcRefused) return readRefusal(error.said);
    throw error;
  }
}
