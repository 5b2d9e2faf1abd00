import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import type { Random } from '@vouch/platform/process/systemInterfaces';
import { keccak256 } from '../messages/keccak256.ts';
import type { Hex } from '../messages/operation.ts';
import { addressOfKey } from './addressOfKey.ts';
import { deriveKey, standardScrypt, type KeyDerivation, type ScryptCost } from './deriveKey.ts';
import { parseKeystore } from './parseKeystore.ts';
import { KeystoreFault } from './keystoreFault.ts';

/** Decrypted content of a keystore. */
export interface OpenedKeystore {
  /** Ethereum address, lower case. */
  address: Hex;
  privateKey: Hex;
}

/**
 * Decrypts a keystore of version 3, the format of geth and most wallets. Standard parameters take about one second and 256 MB.
 * @param text content of the file
 * @throws KeystoreFault: wrong password, damaged file, or parameters that exceed the cost limits
 * @example
 * const { address, privateKey } = await openKeystore(await readFile('node.json', 'utf8'), password);
 */
export async function openKeystore(text: string, password: string): Promise<OpenedKeystore> {
  const { kdf, iv, ciphertext, mac, address } = parseKeystore(text);
  const key = await deriveKey(kdf, password);
  const expected = keccak256(Buffer.concat([key.subarray(16, 32), ciphertext]));
  if (!timingSafeEqual(expected, mac)) {
    throw new KeystoreFault('wrong-password', 'The keystore does not open with this password, or the file is damaged (the two cases cannot be distinguished). Check the password, also for a trailing space or line break.');
  }
  const cipher = createDecipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const written = Buffer.concat([cipher.update(ciphertext), cipher.final()]);
  const opened = withAddress(Buffer.concat([Buffer.alloc(32 - written.length), written]));
  if (address !== null && address !== opened.address) {
    throw new KeystoreFault('wrong-address', `The keystore names the Ethereum address ${address}, but its key belongs to ${opened.address}: the file was modified.`);
  }
  return opened;
}

/**
 * Encrypts a private key as the text of a keystore, by default with geth's standard parameters (scrypt, n = 262144).
 * @param privateKey 32 bytes
 * @param cost cost of one password guess; only tests use `lightScrypt`, which makes guessing cheaper
 * @throws KeystoreFault if the bytes are not a valid private key
 */
export async function sealKeystore(privateKey: Hex, password: string, random: Random, cost: ScryptCost = standardScrypt): Promise<string> {
  const { address } = withAddress(Buffer.from(privateKey.slice(2), 'hex'));
  const [salt, iv] = [random.bytes(32), random.bytes(16)];
  const kdf: KeyDerivation = { name: 'scrypt', ...cost, salt };
  const key = await deriveKey(kdf, password);
  const cipher = createCipheriv('aes-128-ctr', key.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(privateKey.slice(2), 'hex')), cipher.final()]);
  const mac = Buffer.from(keccak256(Buffer.concat([key.subarray(16, 32), ciphertext])));
  const file = {
    address: address.slice(2),
    crypto: {
      cipher: 'aes-128-ctr',
      ciphertext: ciphertext.toString('hex'),
      cipherparams: { iv: iv.toString('hex') },
      kdf: 'scrypt',
      kdfparams: { dklen: 32, n: kdf.n, r: kdf.r, p: kdf.p, salt: salt.toString('hex') },
      mac: mac.toString('hex'),
    },
    id: random.uuid(),
    version: 3,
  };
  return `${JSON.stringify(file)}\n`;
}

function withAddress(bytes: Buffer): OpenedKeystore {
  const privateKey: Hex = `0x${bytes.toString('hex')}`;
  const address = addressOfKey(privateKey);
  if (address === null) {
    throw new KeystoreFault('damaged', `The keystore does not contain a private key: expected 32 bytes with a value from 1 to the order of the curve, found ${bytes.length} bytes.`);
  }
  return { privateKey, address };
}
