/**
 * Why a signature could not be had.
 * `not-configured`: something is missing here: a credential, a file, a package. `unreachable`: the service cannot be called, or says that it cannot answer now. `timeout`: it did not answer in time.
 * `throttled`: it wants fewer calls. `refused`: the credentials are invalid, expired, or may not use the key; or the key is disabled.
 * `wrong-key`: there is no such key, its curve is not secp256k1, or it has another address than the configured one.
 * `bad-answer`: the answer is not what was asked for; nothing of it is used.
 */
export type SignerFaultKind = 'not-configured' | 'unreachable' | 'timeout' | 'throttled' | 'refused' | 'wrong-key' | 'bad-answer';

/** A signer that gave no signature. The message is a sentence with what to do; it holds no credential and no key. */
export class SignerFault extends Error {
  override readonly name = 'SignerFault';
  readonly kind: SignerFaultKind;

  constructor(kind: SignerFaultKind, sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.kind = kind;
  }
}
