import type { Hex } from './operation.ts';

/** The zero address. In the contracts it means "no node", "no owner" or "anyone". */
export const zeroAddress: Hex = `0x${'0'.repeat(40)}`;
