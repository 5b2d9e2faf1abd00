import type { Signature } from './operation.ts';

const shape = /^0x[0-9a-fA-F]{64}$/;
/** Order of the curve's group, and half of it. For every signature, a second one with s in the upper half exists; it is rejected (EIP-2). */
const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const halfOrder = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const zero = '0'.repeat(64);

/** r ‖ s as 64 bytes, and the parity of the point's y coordinate. */
interface CompactSignature {
  bytes: Uint8Array;
  recoveryId: 0 | 1;
}

/** Converts a signature after checking the ranges of v, r and s. @returns null if the values cannot be a valid signature */
export function compactSignature({ v, r, s }: Signature): CompactSignature | null {
  if ((v !== 27 && v !== 28) || !shape.test(r) || !shape.test(s)) return null;
  const digits = (r.slice(2) + s.slice(2)).toLowerCase();
  const [rDigits, sDigits] = [digits.slice(0, 64), digits.slice(64)];
  // Hex texts of equal length and case compare like their numbers.
  if (rDigits === zero || rDigits >= order || sDigits === zero || sDigits > halfOrder) return null;
  return { bytes: Buffer.from(digits, 'hex'), recoveryId: v === 27 ? 0 : 1 };
}
