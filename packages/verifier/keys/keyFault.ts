/** Thrown if a key, its keystore or its password cannot be used. The message says what to do and contains no secret. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
}

/** Thrown if Ctrl-C was pressed at a prompt. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
