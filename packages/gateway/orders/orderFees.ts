import { initialFees, raised, type FeeMarket, type Fees } from '@vouch/chain/fees/fees';

export type OrderedFees = { fees: Fees } | { refusal: string };

const weiPerGwei = 1e9;

/**
 * Computes the fees of an ordered replacement: the higher of the nodes' minimum (12.5 % above both old fees) and the market's fees,
 * or the operator's maximum; never above the cap.
 * @param wantedWei maximum in wei per unit of gas; null for the lowest fees that can be mined
 * @param capSetting name of the setting that changes the cap
 * @returns fees, or the reason of a refusal
 */
export function orderedFees(old: Fees, market: FeeMarket, wantedWei: bigint | null, capSetting = 'VOUCH_MAX_FEE_GWEI'): OrderedFees {
  const { capWei, baseFeeWei, suggestedTipWei } = market;
  const least = { maxFeeWei: raised(old.maxFeeWei), priorityFeeWei: raised(old.priorityFeeWei) };
  const leastWei = larger(least.maxFeeWei, least.priorityFeeWei);
  if (leastWei > capWei) return { refusal: `A replacement must offer at least ${gwei(leastWei)} gwei, 12.5 % more than the previous transaction, but the limit is ${gwei(capWei)} gwei: raise ${capSetting}.` };
  if (wantedWei !== null && wantedWei < leastWei) return { refusal: `${gwei(wantedWei)} gwei is below the ${gwei(leastWei)} gwei that nodes require for a replacement, 12.5 % more than the previous transaction: offer at least this fee, or omit the fee.` };
  if (wantedWei !== null && wantedWei > capWei) return { refusal: `${gwei(wantedWei)} gwei is above the limit of ${gwei(capWei)} gwei: offer less, or raise ${capSetting}.` };
  const asked = initialFees(market) ?? { maxFeeWei: capWei, priorityFeeWei: suggestedTipWei };
  const maxFeeWei = wantedWei ?? larger(leastWei, asked.maxFeeWei);
  if (maxFeeWei < baseFeeWei) return { refusal: `The base fee of the chain is ${gwei(baseFeeWei)} gwei, above the ${gwei(maxFeeWei)} gwei of the replacement, which could not be mined either. Offer more${wantedWei === null ? `: raise ${capSetting}` : ''}.` };
  // A named maximum means urgency, so the tip takes half of the maximum's excess over the base fee.
  const tip = wantedWei === null ? asked.priorityFeeWei : larger(asked.priorityFeeWei, (maxFeeWei - baseFeeWei) / 2n);
  const priorityFeeWei = larger(least.priorityFeeWei, tip);
  if (market.legacy) return { fees: { maxFeeWei, priorityFeeWei: maxFeeWei, legacy: true } };
  return { fees: { maxFeeWei, priorityFeeWei: priorityFeeWei < maxFeeWei ? priorityFeeWei : maxFeeWei } };
}

function gwei(wei: bigint): string {
  return String(Number(wei) / weiPerGwei);
}

function larger(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
