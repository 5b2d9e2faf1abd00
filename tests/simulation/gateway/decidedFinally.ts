import type { SignedOperation } from '@vouch/gateway/calls/arrangeCalls';
import { encodeAlone } from '@vouch/gateway/calls/arrangeCalls';
import { ancestor, type SimulatedBlock, type SimulatedChain } from '../chain/simulatedChain.ts';

/** Blocks below the newest final one whose state may have decided: endpoints that fell behind are up to two minutes late. */
const oldestBlocks = 60;

/** The newest final blocks, from the newest on. */
function* finalBlocks({ head }: SimulatedChain, confirmations: number): Generator<SimulatedBlock> {
  let block = ancestor(head, head.number - confirmations);
  for (let count = 0; block !== null && count < oldestBlocks; count += 1) {
    yield block;
    block = block.parent;
  }
}

/** Whether the signer of a message had its claimer or commission in a final block. */
export function isUnchangedFinally(chain: SimulatedChain, confirmations: number, { signer, operation }: SignedOperation): boolean {
  for (const { service } of finalBlocks(chain, confirmations)) {
    const node = service.nodes.get(signer);
    if (operation.kind === 'claimer' && node?.claimer === operation.claimer) return true;
    if (operation.kind === 'commission' && node?.commissionRate === operation.commissionRate) return true;
  }
  return false;
}

/** Whether the contract refuses a message in the state of a final block. */
export function isRefusedFinally(chain: SimulatedChain, confirmations: number, message: SignedOperation): boolean {
  const { model } = chain;
  const data = encodeAlone(message);
  for (const { service, timestamp } of finalBlocks(chain, confirmations)) if (!hasEffect(message, model, service, data, timestamp)) return true;
  return false;
}

/** A report that an isolating contract skips does not revert its call, so votes are compared. */
function hasEffect({ operation }: SignedOperation, model: SimulatedChain['model'], service: SimulatedBlock['service'], data: `0x${string}`, timestamp: number): boolean {
  const outcome = model.execute(service, model.options.address, data, timestamp);
  return outcome.succeeded && (operation.kind !== 'report' || outcome.state.votes.size > service.votes.size);
}
