import { getAddress } from 'viem/utils';
import type { Hex } from '@vouch/chain/messages/operation';
import { zeroAddress } from '@vouch/chain/messages/zeroAddress';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { GatewayChain } from '../chainState/gatewayChain.ts';
import type { FutureNode } from './futureNode.ts';

/**
 * Checks whether a node may enter the active set.
 * @param replacedNode node to remove if the active set is full
 * @param weight number of licenses that count for the signer
 * @throws Problem `already-active`, `replaced-not-active`, `replaced-too-heavy`
 */
export async function judgeEnter(chain: GatewayChain, signer: Hex, replacedNode: Hex, node: FutureNode, weight: number): Promise<void> {
  if (node.active) {
    throw gatewayErrors.problem('already-active', `${getAddress(signer)} is already in the active set, or an earlier message of this signer is about to enter it. No action is needed; if the earlier message fails, or a reorganization of the chain removes the entry, send the message again.`);
  }
  if (await chain.isFull()) await judgeReplaced(chain, replacedNode, weight);
}

async function judgeReplaced(chain: GatewayChain, replacedNode: Hex, weight: number): Promise<void> {
  const replaced = getAddress(replacedNode);
  const [state, itsWeight] = await Promise.all([chain.node(replacedNode), chain.weight(replacedNode)]);
  if (!state.active) {
    const what = replacedNode === zeroAddress ? 'the message does not name a node to replace' : `it does not contain the node to replace, ${replaced}`;
    throw gatewayErrors.problem('replaced-not-active',
      `The active set is full, and ${what}. GET /explorer_alphanet/replaced_node returns a node that can be replaced; sign a new message that names this node.`);
  }
  if (itsWeight >= weight) {
    throw gatewayErrors.problem('replaced-too-heavy',
      `The active set is full, and ${replaced} has a weight of ${itsWeight} against your ${weight}; a new node needs more weight than the node that it replaces. GET /explorer_alphanet/replaced_node returns the node with the least weight.`);
  }
}

/**
 * Checks whether a node may leave the active set.
 * @throws Problem `not-active`
 */
export function judgeExit(signer: Hex, node: FutureNode): void {
  if (node.active) return;
  throw gatewayErrors.problem('not-active', `${getAddress(signer)} is not in the active set, or an earlier message of this signer is about to leave it. No action is needed; if the earlier message fails, or a reorganization of the chain removes the exit, send the message again.`);
}
