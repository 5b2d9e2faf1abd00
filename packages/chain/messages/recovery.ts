import type { Hex, Signature } from './operation.ts';

/** Recovers the signer of a message. */
export interface Recovery {
  /** Name of the implementation, for logs and status. */
  readonly name: 'secp256k1' | 'libauth';
  /**
   * Recovers the Ethereum address that signed the digest, lower case. A valid signature of another digest gives some other address, so
   * callers must compare the result with the expected signer.
   * @param digest 32 bytes
   * @returns null if the signature is invalid: v is not 27 or 28, s is in the upper half of the order, or a value is out of range
   */
  recover(digest: Uint8Array, signature: Signature): Hex | null;
}
