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

/**
 * Texts of the nodes in use, in order of precedence. Nethermind's texts were single words (`InsufficientFunds`) before they became those of geth.
 * Words are matched whole: `rate` is also a part of "generate".
 */
const patterns: readonly (readonly [RegExp, Exclude<BroadcastAnswer['kind'], 'unsendable'>])[] = [
  [/already ?(?:known|imported|exists)|already in\b|known transaction/i, 'taken'],
  [/nonce/i, 'rumour'],
  [/(?:insufficient|not enough) ?(?:funds|balance)|upfront cost exceeds|lack of funds/i, 'funds'],
  [/underpriced|fee ?too ?low|gas ?price (?:is )?too low|(?:less than|below) (?:the )?(?:block|current) base fee|fee cap(?! exceeded)|(?:below|less than) .*minimum|replace/i, 'price'],
  [/\bfull\b|pool ?full|pool overflow|\bbusy\b|\brates?\b|rate.?limit|too many|throttl|capacity|(?:limit|count) (?:reached|exceeded)|time.?out|timed out|\binternal\b|\bsync|unavailable/i, 'busy'],
];
/** JSON-RPC codes of refusals that concern the endpoint: method not found, resource unavailable, limit exceeded, too many requests. */
const busyCodes: ReadonlySet<number> = new Set([-32601, -32002, -32005, 429]);

/** Classifies a refusal of `eth_sendRawTransaction`, mostly by its text, because nodes have no common error codes for it. */
export function refusalKind({ said, code }: RpcRefused): BroadcastAnswer['kind'] {
  return patterns.find(([pattern]) => pattern.test(said))?.[1] ?? (busyCodes.has(code) ? 'busy' : 'unsendable');
}

/** Submits a signed transaction. @throws RpcUnavailable if no endpoint answered; an endpoint may still have accepted the transaction */
export async function broadcast(rpc: RpcClient, raw: Hex, signal?: AbortSignal): Promise<BroadcastAnswer> {
  try {
    await rpc.request('eth_sendRawTransaction', [raw], signal);
    return { kind: 'taken' };
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    const kind = refusalKind(error);
    return kind === 'taken' ? { kind } : { kind, said: error.said };
  }
}
