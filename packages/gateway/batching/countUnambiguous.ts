import type { Hex } from '@vouch/chain/messages/operation';
import type { SignedOperation } from '../calls/arrangeCalls.ts';

/**
 * Counts the leading messages that can share a transaction of a contract that does not isolate. Its event of an exit names the node alone, and it also
 * emits this event for a node that an entry replaces: before or after the event of the entry, depending on the contract. If both messages were in one
 * transaction, the event would not tell which of them took effect.
 */
export function countUnambiguous(messages: readonly Pick<SignedOperation, 'operation' | 'signer'>[]): number {
  const [leaving, replaced] = [new Set<Hex>(), new Set<Hex>()];
  const first = messages.findIndex(({ operation, signer }) => {
    if (operation.kind === 'exit') leaving.add(signer);
    if (operation.kind === 'enter') replaced.add(operation.replacedNode);
    return (operation.kind === 'exit' && replaced.has(signer)) || (operation.kind === 'enter' && leaving.has(operation.replacedNode));
  });
  return first === -1 ? messages.length : first;
}
