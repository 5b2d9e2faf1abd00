import { createHash } from 'node:crypto';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { arrangeCalls, wrapCalls, type Payload, type SignedOperation } from '@vouch/gateway/calls/arrangeCalls';
import { encodeFunctionData } from 'viem';
import type { SharedTransaction } from '../chain/chainFaults.ts';
import type { SimulatedChain } from '../chain/simulatedChain.ts';

const gwei = 1_000_000_000n;
/** Receiver of the empty transactions of the other program. */
const receiver: Hex = `0x${'99'.repeat(20)}`;
/** More than a batch of the other program takes. */
const gasLimit = 400_000;

/**
 * Another program sends a transaction with the key of a relayer, through an endpoint that the gateway does not use.
 * @param messages what a batch carries; without messages, the transaction is empty
 * @returns whether the chain took the transaction
 */
export function sendWithSharedKey(chain: SimulatedChain, from: Hex, shared: SharedTransaction, messages: readonly SignedOperation[]): boolean {
  const { relayer, nonce: which, feeGwei } = shared;
  const next = chain.head.nonces.get(from) ?? 0;
  const pending = chain.pendingNonce(from, chain.head);
  const nonce = { next, 'after pending': pending, 'with a gap': pending + 1 }[which];
  const { to, calldata } = payloadOf(chain.model.options.address, shared, messages);
  const hash: Hex = `0x${createHash('sha256').update(`relayer ${relayer} ${nonce} ${feeGwei} ${chain.head.hash} ${calldata}`).digest('hex')}`;
  return chain.send({ hash, from, to, nonce, data: calldata, gasLimit, maxFeeWei: BigInt(feeGwei) * gwei, priorityFeeWei: BigInt(Math.ceil(feeGwei / 10)) * gwei }) === null;
}

function payloadOf(service: Hex, { carries }: SharedTransaction, messages: readonly SignedOperation[]): Payload {
  // The key is no node's, so the contract reverts.
  if (carries === 'refused call') return { to: service, calldata: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeExit' }) };
  return messages.length === 0 ? { to: receiver, calldata: '0x' } : wrapCalls(arrangeCalls(messages), service, { kind: 'native' });
}
