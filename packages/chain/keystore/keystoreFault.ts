/** Thrown if a keystore cannot be used. The message is a sentence with the fix and contains neither password nor key. */
export class KeystoreFault extends Error {
  override readonly name = 'KeystoreFault';
  readonly kind: 'wrong-password' | 'wrong-address' | 'damaged' | 'unsupported' | 'too-costly';

  constructor(kind: KeystoreFault['kind'], sentence: string) {
    super(sentence);
    this.kind = kind;
  }
}
