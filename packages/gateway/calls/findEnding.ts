import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import type { SignedOperation } from './arrangeCalls.ts';
import { explainRefusal } from './explainRefusal.ts';

/** The ending of a request that the contract refused. */
export interface Ending {
  requestId: string;
  state: 'confirmed' | 'failed' | 'expired';
  code: string;
  reason: string;
}

/**
 * Determines the ending of a refused request. The request is confirmed if the contract already executed the same message in a
 * foreign transaction, or if an earlier message set the same commission, because the operator has the desired state.
 * @param said the contract's revert reason; null if it gave none
 * @param chainTime time of the block of the refusal, seconds since 1970
 */
export async function findEnding(rpc: RpcClient, service: Hex, signed: SignedOperation, said: string | null, chainTime: number): Promise<Ending> {
  const { requestId, operation } = signed;
  if (said === 'Not meet min commission rate modify interval' && (await hasSameCommission(rpc, service, signed))) {
    return { requestId, state: 'confirmed', code: 'unchanged', reason: 'An earlier message set the commission to the same value, so no transaction was needed.' };
  }
  const used = said === 'Digest already used' || (said === 'Already verify' && (await hasSameVote(rpc, service, operation)));
  if (!used) return { requestId, ...explainRefusal(operation, said, chainTime) };
  return {
    requestId, state: 'confirmed', code: 'message-used',
    reason: 'The contract already executed this message, in a transaction that the gateway did not send. No action is needed.',
  };
}

async function hasSameCommission(rpc: RpcClient, service: Hex, { operation, signer }: SignedOperation): Promise<boolean> {
  if (operation.kind !== 'commission') return false;
  try {
    return (await fetchView(rpc, serviceViews.node(service, signer))).commissionRate === operation.commissionRate;
  } catch {
    return false;
  }
}

/** Whether the counted vote equals the message's vote; false if the contract has no view of votes. */
async function hasSameVote(rpc: RpcClient, service: Hex, operation: Operation): Promise<boolean> {
  if (operation.kind !== 'report') return false;
  const abi = verifierServiceAbi;
  try {
    const data = encodeFunctionData({ abi, functionName: 'voteAt', args: [operation.attestationId, operation.index] });
    const vote = decodeFunctionResult({ abi, functionName: 'voteAt', data: await ethCall(rpc, { to: service, data }) });
    return vote === operation.result + 1;
  } catch {
    return false;
  }
}
