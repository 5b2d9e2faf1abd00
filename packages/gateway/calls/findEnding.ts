import { serviceViews, tryReadView, type View } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { SignedOperation } from './arrangeCalls.ts';
import { explainRefusal } from './explainRefusal.ts';

/** The ending of a request that the contract refused. */
export interface Ending {
  requestId: string;
  state: 'confirmed' | 'failed' | 'expired';
  code: string;
  reason: string;
}

/** Where the contract refused a request. */
export interface RefusedAt {
  /** Number of the block whose state is read; not older than the block of the refusal. */
  block: number;
  /** Time of the block of the refusal, seconds since 1970. */
  chainTime: number;
}

/**
 * Determines the ending of a refused request. The request is confirmed if the contract already executed the same message in a
 * foreign transaction, or if an earlier message set the same commission, because the operator has the desired state.
 * @param said the contract's revert reason; null if it gave none
 * @throws RpcUnavailable; RpcRefused if the endpoint does not have the block yet
 */
export async function findEnding(rpc: RpcClient, service: Hex, signed: SignedOperation, said: string | null, at: RefusedAt): Promise<Ending> {
  const { requestId, operation } = signed;
  if (said === 'Not meet min commission rate modify interval' && (await hasSameCommission(rpc, service, signed, at))) {
    return { requestId, state: 'confirmed', code: 'unchanged', reason: 'An earlier message set the commission to the same value, so no transaction was needed.' };
  }
  const used = said === 'Digest already used' || (said !== null && hides.has(said) && (await isExecuted(rpc, service, signed, at)));
  return used ? { requestId, ...messageUsed } : { requestId, ...explainRefusal(operation, said, at.chainTime) };
}

/** Revert reasons that the contract also gives for a message that it executed before. After the deadline, it checks nothing else. */
const hides: ReadonlySet<string> = new Set(['Already verify', 'Invalid expiredAt', 'Deadline passed']);

/** The ending of a message that the contract executed in a transaction of another sender. */
export const messageUsed = {
  state: 'confirmed', code: 'message-used', reason: 'The contract already executed this message, in a transaction that the gateway did not send. No action is needed.',
} as const satisfies Omit<Ending, 'requestId'>;

/** Whether the commission equals the message's and was set before the refusal: a later change can still leave the chain. */
async function hasSameCommission(rpc: RpcClient, service: Hex, { operation, signer }: SignedOperation, { block, chainTime }: RefusedAt): Promise<boolean> {
  if (operation.kind !== 'commission') return false;
  const node = await tryReadView(rpc, serviceViews.node(service, signer), { block });
  return node !== null && node.commissionRate === operation.commissionRate && node.lastModifyAt <= chainTime;
}

async function isExecuted(rpc: RpcClient, service: Hex, signed: SignedOperation, { block }: RefusedAt): Promise<boolean> {
  for (const view of executionViews(service, signed)) if ((await tryReadView(rpc, view, { block })) !== true) return false;
  return true;
}

/**
 * Views that are all true if the contract executed a message: its digest is used, or the signer's vote counts and equals the message's. A vote never changes.
 * Only Vouch's contract has these views.
 */
export function executionViews(service: Hex, { operation, digest, signer }: SignedOperation): View<boolean>[] {
  if (operation.kind !== 'report') return [serviceViews.usedDigest(service, digest, signer)];
  const { attestationId, index, result } = operation;
  const { read, ...call } = serviceViews.voteAt(service, attestationId, index);
  return [serviceViews.reported(service, attestationId, signer), { ...call, read: (answer) => read(answer) === result + 1 }];
}
