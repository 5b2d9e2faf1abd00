import { getAddress } from 'viem/utils';
import type { Hex } from '@vouch/chain/messages/operation';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { describeCommission } from '../../calls/explainUnchanged.ts';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { Rules } from '../chainState/views.ts';
import type { FutureNode } from './futureNode.ts';

/** 100 %, in hundredths of a percent. */
const maxCommission = 10_000;

/**
 * Checks whether the commission may be set; a commission that the node already has may be.
 * @param rate new commission in hundredths of a percent
 * @param now time of the chain, seconds since 1970
 * @throws Problem `commission-too-large`, `signer-unregistered`, `commission-too-soon`, `commission-step-too-large`
 */
export function judgeCommission(signer: Hex, rate: number, node: FutureNode, now: number, rules: Rules): void {
  if (rate > maxCommission) {
    throw gatewayErrors.problem('commission-too-large',
      `commission_rate is ${rate}, which is ${describeCommission(rate)}; it must be at most ${maxCommission}, in hundredths of a percent. Sign a smaller commission_rate.`);
  }
  if (!node.registered) {
    throw gatewayErrors.problem('signer-unregistered', `${getAddress(signer)} has never entered the active set, and only nodes that entered have a commission. Enter first, then send the message again.`);
  }
  if (rate === node.commissionRate) return;
  const wait = node.lastModifyAt + rules.commissionInterval - now;
  if (wait > 0 && node.changesCommission === true) {
    throw gatewayErrors.problem('commission-too-soon',
      `An earlier message of this signer is about to change the commission to ${describeCommission(node.commissionRate)}, and it can be changed once per ${describeSeconds(rules.commissionInterval)}. ` +
      `If that message fails, send this message again; otherwise the next change is possible in about ${describeSeconds(wait)}.`);
  }
  if (wait > 0) {
    throw gatewayErrors.problem('commission-too-soon',
      `The commission was changed ${describeSeconds(Math.max(0, now - node.lastModifyAt))} ago and can be changed once per ${describeSeconds(rules.commissionInterval)}: the next change is possible in ${describeSeconds(wait)}.`);
  }
  if (rate > node.commissionRate + rules.maxCommissionIncrease) {
    throw gatewayErrors.problem('commission-step-too-large',
      `The commission would rise from ${describeCommission(node.commissionRate)} to ${describeCommission(rate)}; one change can add at most ${describeCommission(rules.maxCommissionIncrease)}. Sign at most ${node.commissionRate + rules.maxCommissionIncrease}.`);
  }
}
