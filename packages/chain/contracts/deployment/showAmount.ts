import { formatEther, formatGwei } from 'viem';

/** Formats wei in units of the chain's coin with at most six decimals, rounded up. */
export function showEther(wei: bigint): string {
  const step = 10n ** 12n;
  return formatEther(((wei + step - 1n) / step) * step);
}

/** Formats wei in gwei with at most three decimals, rounded up. */
export function showGwei(wei: bigint): string {
  const step = 10n ** 6n;
  return formatGwei(((wei + step - 1n) / step) * step);
}
