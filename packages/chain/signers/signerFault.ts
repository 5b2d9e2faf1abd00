/**
 * Reason why a signer returned no signature.
 * `not-configured`: a credential, a file or a package is missing on this machine.
 * `unreachable`: the service cannot be reached or reports an outage. `timeout`: the service exceeded the time limit.
 * `throttled`: the service limits the rate of requests. `refused`: the credentials are invalid, expired or lack permission; or the key is disabled.
 * `wrong-key`: the key does not exist, its curve is not secp256k1, or its address differs from the configured address.
 * `bad-answer`: the answer does not match the request and is discarded.
 */
export type SignerFaultKind = 'not-configured' | 'unreachable' | 'timeout' | 'throttled' | 'refused' | 'wrong-key' | 'bad-answer';

/** Thrown if a signer returned no signature. The message is a sentence with the fix and contains neither credentials nor keys. */
export class SignerFault extends Error {
  override readonly name = 'SignerFault';
  readonly kind: SignerFaultKind;

  constructor(kind: SignerFaultKind, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.kind = kind;
  }
}
