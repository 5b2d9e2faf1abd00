import { createCipheriv, pbkdf2Sync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { keccak256 } from '@vouch/chain/messages/keccak256';
import type { Hex } from '@vouch/chain/messages/operation';

const rounds = 1_000;

/** Writes a keystore of version 3 that opens in a millisecond: PBKDF2 with few rounds, without an Ethereum address. */
export function writeLightKeystore(path: string, privateKey: Hex, password: string): void {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const key = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(privateKey.slice(2), 'hex'), cipher.final()]);
  const mac = Buffer.from(keccak256(Buffer.concat([key.subarray(16), ciphertext])));
  const crypto = {
    cipher: 'aes-128-ctr', ciphertext: ciphertext.toString('hex'), cipherparams: { iv: iv.toString('hex') }, mac: mac.toString('hex'),
    kdf: 'pbkdf2', kdfparams: { dklen: 32, c: rounds, prf: 'hmac-sha256', salt: salt.toString('hex') },
  };
  writeFileSync(path, JSON.stringify({ version: 3, crypto }), { mode: 0o600 });
}
