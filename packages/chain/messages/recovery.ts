import type { Hex, Signature } from './operation.ts';

/** Finds out who signed. */
export interface Recovery {
  /** Which implementation it is, for people. */
  readonly name: 'secp256k1' | 'libauth';
  /**
   * The address whose key signed the digest, in lower case. Null where no key could have: v other than 27 and 28, s in the
   * upper half of the order, numbers out of range, anything that is no signature. A well-formed signature of other bytes
   * gives some other address, so the result is always to be compared with the signer that was named.
   * @param digest 32 bytes
   */
  recover(digest: Uint8Array, signature: Signature): Hex | null;
}
