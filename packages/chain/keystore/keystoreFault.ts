/** Why a keystore could not be used. The message is a sentence with what to do; it holds nothing of password or key. */
export class KeystoreFault extends Error {
  override readonly name = 'KeystoreFault';
  readonly kind: 'wrong-password' | 'wrong-address' | 'damaged' | 'unsupported' | 'too-costly';

  constructor(kind: KeystoreFault['kind'], sentence: string) {
    super(sentence);
    this.kind = kind;
  }
}
