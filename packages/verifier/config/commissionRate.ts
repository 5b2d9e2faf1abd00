import type { ValueType } from './value.ts';

/**
 * Commission in percent, 0 to 100 with at most two decimals, converted to units of 1/10000 as in the signed message: 1.15 gives 115.
 * The conversion works on digits, because 1.15 × 100 is 114.99999999999999 in binary floating point.
 */
export const commissionRate: ValueType<number> = {
  range: 'a percentage from 0 to 100 with at most two decimals',
  parse: (text) => {
    const match = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
    if (match === null) return undefined;
    const rate = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
    return rate <= 10_000 ? rate : undefined;
  },
};

/** Formats a commission in units of 1/10000: 115 gives "1.15 %". */
export function showCommission(rate: number): string {
  const decimals = String(rate % 100).padStart(2, '0').replace(/0+$/, '');
  return `${Math.floor(rate / 100)}${decimals === '' ? '' : `.${decimals}`} %`;
}
