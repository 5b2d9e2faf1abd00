/** Why a key, its keystore or its password could not be had. The message is a sentence with what to do, and holds no secret. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
}

/** Somebody pressed Ctrl-C while being asked. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
