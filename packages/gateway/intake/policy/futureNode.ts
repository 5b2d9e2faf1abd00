import type { Operation } from '@vouch/chain/messages/operation';
import type { NodeState } from '../chainState/views.ts';

/** A node as it will be when everything accepted for it is carried out. */
export interface FutureNode extends NodeState {
  /** It has an id, or will have one. */
  registered: boolean;
}

/**
 * What the chain knows of a node, changed by the messages that are under way for it.
 * @param pending in the order in which they will be carried out
 * @param now time of the chain in seconds
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
