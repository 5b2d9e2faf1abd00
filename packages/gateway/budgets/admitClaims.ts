import { getAddress } from 'viem/utils';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import { budgetKey, budgetsOf, nextDayMs, type BudgetName, type GasClaim } from './budget.ts';
import type { Usage } from './spendingStore.ts';

/** Why a message is refused: the first budget that the message exceeds. */
export interface Shortage {
  budget: BudgetName;
  gasPerDay: number;
  used: Usage;
  /** Gas that the message would reserve. */
  gas: number;
}

/**
 * Decides which claims fit. Each fitting claim counts against later ones.
 * @param used usage before the claims, by `budgetKey`
 * @returns one entry per claim, in order; null if the claim fits
 */
export function admitClaims(
  claims: readonly GasClaim[], used: ReadonlyMap<string, Usage>, gasPerDay: (budget: BudgetName) => number,
): (Shortage | null)[] {
  const running = new Map<string, Usage>();
  return claims.map((claim) => {
    const counters = budgetsOf(claim).map((budget) => {
      const key = budgetKey(budget);
      return { budget, key, usage: running.get(key) ?? used.get(key) ?? { reserved: 0, spent: 0 } };
    });
    for (const { budget, usage } of counters) {
      const limit = gasPerDay(budget);
      if (usage.reserved + usage.spent + claim.gas > limit) return { budget, gasPerDay: limit, used: usage, gas: claim.gas };
    }
    for (const { key, usage } of counters) running.set(key, { ...usage, reserved: usage.reserved + claim.gas });
    return null;
  });
}

/** Retry time in seconds if only pending messages block the budget; most messages are confirmed within a minute. */
const underWaySeconds = 60;

/** Seconds until a retry of a refused message can succeed. */
function waitSeconds({ gasPerDay, used, gas }: Shortage, now: number): number {
  const untilTomorrow = Math.max(1, Math.ceil((nextDayMs(now) - now) / 1_000));
  return used.spent + gas <= gasPerDay ? Math.min(underWaySeconds, untilTomorrow) : untilTomorrow;
}

/**
 * Builds Problem `quota` for a refused message, with the retry time.
 * @param now milliseconds since 1970
 */
export function quotaProblem(shortage: Shortage, now: number): Error {
  const { budget, gasPerDay, used, gas } = shortage;
  const seconds = waitSeconds(shortage, now);
  const tomorrow = new Date(nextDayMs(now)).toISOString().replace('.000', '');
  const whose = budget.scope === 'signer' ? `Of ${getAddress(budget.subject)}`
    : budget.scope === 'license' ? `For the license ${budget.subject}, which backs the signer now and may have backed other signers today,`
      : 'For all signers together';
  const limit = `${whose} the gateway pays at most ${gasPerDay} gas per day for ${budget.kind} messages`;
  const retry = { headers: { 'retry-after': String(seconds) } };
  // A budget may be 0, which turns a kind of message off: no day has room for the message then.
  if (gas > gasPerDay) {
    return gatewayErrors.problem('quota',
      `${limit}, and this message may need ${gas} gas, which does not fit on any day. Send the transaction to the contract directly, or ask the operator of the gateway for a higher budget.`, retry);
  }
  const left = used.reserved === 0 ? `${used.spent} gas is spent` : `${used.spent} gas is spent and ${used.reserved} gas is reserved for pending messages`;
  return gatewayErrors.problem('quota',
    `${limit}; ${left}, and this message may need ${gas} gas. The next day begins at ${tomorrow}. Send the message again in ${seconds} s, or send the transaction to the contract directly.`, retry);
}
