import type { Hex } from './operation.ts';

/** The address 0, which stands for "no node", "no owner" and "everybody" in the contracts. */
export const zeroAddress: Hex = `0x${'0'.repeat(40)}`;
