import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { getAddress } from 'viem/utils';

/** Formats a commission, given in hundredths of a percent, without rounding: 5 is `0.05 %`. */
export function describeCommission(rate: number): string {
  return `${Math.floor(rate / 100)}${rate % 100 === 0 ? '' : `.${String(rate % 100).padStart(2, '0').replace(/0$/, '')}`} %`;
}

/** Returns a sentence if a node already has the claimer or the commission that a message sets, else null. */
export function explainUnchanged(node: { claimer: Hex; commissionRate: number }, operation: Operation): string | null {
  if (operation.kind === 'claimer' && operation.claimer === node.claimer) return `The claimer already is ${getAddress(operation.claimer)}, so no transaction was needed.`;
  if (operation.kind === 'commission' && operation.commissionRate === node.commissionRate) return `The commission already is ${describeCommission(operation.commissionRate)}, so no transaction was needed.`;
  return null;
}
