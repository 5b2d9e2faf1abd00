import { pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { scryptAsync } from '@noble/hashes/scrypt';

/** Parameters of scrypt: memory is 128 × n × r bytes, time grows with n × r × p. */
export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

/** How a password becomes a key of 32 bytes. */
export type KeyDerivation =
  | ({ name: 'scrypt'; salt: Buffer } & ScryptCost)
  /** HMAC with SHA-256. */
  | { name: 'pbkdf2'; rounds: number; salt: Buffer };

/** geth's standard: about a second and 256 MB. */
export const standardScrypt: ScryptCost = { n: 262_144, r: 8, p: 1 };

/** What geth takes with --lightkdf: a tenth of a second and 4 MB. */
export const lightScrypt: ScryptCost = { n: 4_096, r: 8, p: 6 };

/**
 * Derives the key that encrypts a keystore. OpenSSL does so outside of the event loop; the parameters that OpenSSL refuses (scrypt with n
 * of 2^(16 r) or more: keystores with r = 1 and n = 262144 are in the field) are computed in JavaScript, within the event loop.
 * @param derivation whose cost `parseKeystore` has limited
 * @returns 32 bytes
 */
export async function deriveKey(derivation: KeyDerivation, password: string): Promise<Buffer> {
  if (derivation.name === 'pbkdf2') {
    return promisify(pbkdf2)(password, derivation.salt, derivation.rounds, 32, 'sha256');
  }
  const { n, r, p, salt } = derivation;
  // Both refuse more memory than told, and count some blocks beside the table of n × r × 128 bytes.
  const maxmem = 128 * r * (n + p + 2) + 1_024;
  if (16 * r < 32 && n >= 2 ** (16 * r)) return Buffer.from(await scryptAsync(password, salt, { N: n, r, p, dkLen: 32, maxmem }));
  return promisify<string, Buffer, number, object, Buffer>(scrypt)(password, salt, 32, { N: n, r, p, maxmem });
}
