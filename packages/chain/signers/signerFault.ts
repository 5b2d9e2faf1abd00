/**
 * Why there is no signature.
 * `not-configured`: a credential, a file or a package is missing on this machine.
 * `unreachable`: the service cannot be called, or says that it cannot answer now. `timeout`: the service did not answer in time.
 * `throttled`: the service wants fewer calls. `refused`: the credentials are invalid, expired, or may not use the key; or the key is disabled.
 * `wrong-key`: there is no such key, its curve is not secp256k1, or its address is not the configured address.
 * `bad-answer`: the answer does not fit the request; nothing of the answer is used.
 */
export type SignerFaultKind = 'not-configured' | 'unreachable' | 'timeout' | 'throttled' | 'refused' | 'wrong-key' | 'bad-answer';

/** A signer that gave no signature. The message is a sentence that says what to do, and holds no credential and no key. */
export class SignerFault extends Error {
  override readonly name = 'SignerFault';
  readonly kind: SignerFaultKind;

  constructor(kind: SignerFaultKind, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.kind = kind;
  }
}
