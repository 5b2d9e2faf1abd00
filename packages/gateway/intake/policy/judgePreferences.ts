import { getAddress } from 'viem/utils';
import type { Hex } from '@vouch/chain/messages/operation';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { Rules } from '../chainState/views.ts';
import type { FutureNode } from './futureNode.ts';

/** 100 %, in hundredths of a percent. */
const maxCommission = 10_000;

/** Formats a commission, given in hundredths of a percent, without rounding: 5 is `0.05 %`. */
export function describeCommission(rate: number): string {
  return `${Math.floor(rate / 100)}${rate % 100 === 0 ? '' : `.${String(rate % 100).padStart(2, '0').replace(/0$/, '')}`} %`;
}

/**
 * Checks whether the commission may be set.
 * @param rate new commission in hundredths of a percent
 * @param now time of the chain, seconds since 1970
 * @returns a sentence if the commission already has this value, else null
 * @throws Problem `commission-too-large`, `signer-unregistered`, `commission-too-soon`, `commission-step-too-large`
 */
export function judgeCommission(signer: Hex, rate: number, node: FutureNode, now: number, rules: Rules): string | null {
  if (rate > maxCommission) {
    throw gatewayErrors.problem('commission-too-large',
      `commission_rate is ${rate}, which is ${describeCommission(rate)}; it must be at most ${maxCommission}, in hundredths of a percent. Sign a smaller commission_rate.`);
  }
  if (!node.registered) {
    throw gatewayErrors.problem('signer-unregistered', `${getAddress(signer)} has never entered the active set, and only nodes that entered have a commission. Enter first, then send the message again.`);
  }
  if (rate === node.commissionRate) return `The commission already is ${describeCommission(rate)}, so no transaction was needed.`;
  const wait = node.lastModifyAt + rules.commissionInterval - now;
  if (wait > 0) {
    throw gatewayErrors.problem('commission-too-soon',
      `The commission was changed ${describeSeconds(Math.max(0, now - node.lastModifyAt))} ago and can be changed once per ${describeSeconds(rules.commissionInterval)}: the next change is possible in ${describeSeconds(wait)}.`);
  }
  if (rate > node.commissionRate + rules.maxCommissionIncrease) {
    throw gatewayErrors.problem('commission-step-too-large',
      `The commission would rise from ${describeCommission(node.commissionRate)} to ${describeCommission(rate)}; one change can add at most ${describeCommission(rules.maxCommissionIncrease)}. Sign at most ${node.commissionRate + rules.maxCommissionIncrease}.`);
  }
  return null;
}

/** Returns a sentence if the claimer already has this value, else null. */
export function judgeClaimer(claimer: Hex, node: FutureNode): string | null {
  return claimer === node.claimer ? `The claimer already is ${getAddress(claimer)}, so no transaction was needed.` : null;
}
