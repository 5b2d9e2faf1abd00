import type { Operation } from '@vouch/chain/messages/operation';
import type { NodeState } from '../chainState/views.ts';

/** A node's state after all its accepted messages take effect. */
export interface FutureNode extends NodeState {
  /** The node has an id, or a pending message registers the node. */
  registered: boolean;
  /** A pending message changes the commission. */
  changesCommission?: boolean;
}

/**
 * Applies a node's pending messages to its on-chain state.
 * @param pending messages in order of execution
 * @param now time of the chain, seconds since 1970
 */
export function foreseeNode(state: NodeState, pending: readonly Operation[], now: number): FutureNode {
  const node: FutureNode = { ...state, registered: state.id > 0 };
  for (const operation of pending) {
    switch (operation.kind) {
      case 'enter':
        node.active = true;
        node.registered = true;
        break;
      case 'exit':
        node.active = false;
        break;
      case 'commission':
        node.commissionRate = operation.commissionRate;
        node.lastModifyAt = now;
        node.changesCommission = true;
        break;
      case 'claimer':
        node.claimer = operation.claimer;
        break;
      case 'report':
        break;
    }
  }
  return node;
}
