import { serviceViews, tryReadView } from '@vouch/chain/contracts/service/views';
import type { Ending } from '../calls/findEnding.ts';
import { explainUnchanged } from '../calls/explainUnchanged.ts';
import type { QueuedRequest } from './claimStore.ts';
import type { SimulationTarget } from './simulateBatch.ts';

/**
 * Finds claimed requests whose value the chain already has. Only requests that the intake marked are looked at, and of each signer only the first
 * change of each kind, because an earlier change in the same transaction decides on the value.
 * @returns endings by request id
 * @throws RpcUnavailable; RpcRefused if the endpoint does not have the block yet
 */
export async function findUnchanged(
  { rpc, service, block }: SimulationTarget, requests: readonly QueuedRequest[], signal?: AbortSignal,
): Promise<Map<string, Ending>> {
  const changed = new Set<string>();
  const endings = new Map<string, Ending>();
  for (const { requestId, signer, operation, mayBeUnchanged } of requests) {
    const change = `${signer} ${operation.kind}`;
    const isFirst = !changed.has(change);
    changed.add(change);
    if (!mayBeUnchanged || !isFirst) continue;
    const node = await tryReadView(rpc, serviceViews.node(service, signer), signal === undefined ? { block } : { block, signal });
    const reason = node === null ? null : explainUnchanged(node, operation);
    if (reason !== null) endings.set(requestId, { requestId, state: 'confirmed', code: 'unchanged', reason });
  }
  return endings;
}
