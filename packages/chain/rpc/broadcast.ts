import type { Hex } from '../messages/operation.ts';
import type { RpcClient } from './rpcClient.ts';
import { RpcRefused } from './rpcErrors.ts';

/**
 * A node's answer to a submitted transaction. Only `unsendable` concerns the transaction itself; all other kinds describe the node's
 * current state, so the sender should submit the same bytes again later.
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

/** Classifies a refusal of `eth_sendRawTransaction` by its text, because nodes have no common error codes for it. */
function parseRefusal(said: string): BroadcastAnswer {
  const kind = patterns.find(([pattern]) => pattern.test(said))?.[1] ?? 'unsendable';
  return kind === 'taken' ? { kind } : { kind, said };
}

/** Submits a signed transaction. @throws RpcUnavailable if no endpoint answered; an endpoint may still have accepted the transaction */
export async function broadcast(rpc: RpcClient, raw: Hex, signal?: AbortSignal): Promise<BroadcastAnswer> {
  try {
    await rpc.request('eth_sendRawTransaction', [raw], signal);
    return { kind: 'taken' };
  } catch (error) {
    if (error instanceof RpcRefused) return parseRefusal(error.said);
    throw error;
  }
}
