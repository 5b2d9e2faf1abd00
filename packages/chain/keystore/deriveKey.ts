import { pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync } from '@noble/hashes/scrypt';

/** Cost parameters of scrypt: memory is 128 × n × r bytes, time is proportional to n × r × p. */
export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

/** Function that derives a 32-byte key from a password. */
export type KeyDerivation =
  | ({ name: 'scrypt'; salt: Buffer } & ScryptCost)
  /** PBKDF2 with HMAC-SHA256. */
  | { name: 'pbkdf2'; rounds: number; salt: Buffer };

/** Default of geth: about one second and 256 MB. */
export const standardScrypt: ScryptCost = { n: 262_144, r: 8, p: 1 };

/** geth's --lightkdf: about 0.1 seconds and 4 MB. */
export const lightScrypt: ScryptCost = { n: 4_096, r: 8, p: 6 };

/**
 * Derives the encryption key of a keystore. OpenSSL computes outside of the event loop. OpenSSL rejects scrypt with n ≥ 2^(16 r), as in
 * existing keystores with r = 1 and n = 262144; these are computed in JavaScript, in the event loop.
 * @param derivation parameters whose cost parseKeystore has limited
 * @returns 32 bytes
 */
export async function deriveKey(derivation: KeyDerivation, password: string): Promise<Buffer> {
  if (derivation.name === 'pbkdf2') {
    return promisify(pbkdf2)(password, derivation.salt, derivation.rounds, 32, 'sha256');
  }
  const { n, r, p, salt } = derivation;
  // Both implementations need a few more blocks than the table of 128 × n × r bytes and reject a lower limit.
  const maxmem = 128 * r * (n + p + 2) + 1_024;
  if (16 * r < 32 && n >= 2 ** (16 * r)) return Buffer.from(await scryptAsync(password, salt, { N: n, r, p, dkLen: 32, maxmem }));
  return promisify<string, Buffer, number, object, Buffer>(scrypt)(password, salt, 32, { N: n, r, p, maxmem });
}
