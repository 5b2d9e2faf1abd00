import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1';
import { addressOfKey } from '../keystore/addressOfKey.ts';
import type { Hex } from '../messages/operation.ts';
import { createSigner } from './createSigner.ts';
import { createExchange, type ServiceAnswer } from './exchange.ts';
import type { KeyReference } from './keyReference.ts';
import { readTlsFiles } from './readTlsFiles.ts';
import type { Signer } from './signer.ts';
import { SignerFault, type SignerFaultKind } from './signerFault.ts';
import type { TimeLimit } from './timeLimit.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Opens a private key that is stored encrypted by the transit engine of HashiCorp Vault (or OpenBao). The engine does not support
 * secp256k1 signatures: Vault decrypts the key for each signature, and this process holds the key's bytes only while it signs. The text
 * of Vault's answer, which contains the key in base64, cannot be overwritten and stays in memory until garbage collection.
 * Benefits of Vault: the key is never stored in clear on disk, each use is in the audit log, and revoking the token or the transit key
 * stops signing immediately.
 * URL, token, namespace and certificates come from the environment variables of Vault's command line tool.
 * @throws SignerFault; the reason of `signal`
 */
export async function openVaultTransit(
  { mount, key, file }: Pick<Extract<KeyReference, { service: 'vault' }>, 'mount' | 'key' | 'file'>, limit: TimeLimit, environment: Environment, signal?: AbortSignal,
): Promise<Signer> {
  const { name } = limit;
  const url = `${parseAddress(environment, name)}/v1/${mount}/decrypt/${key}`;
  const exchange = createExchange(limit, await readTlsFiles(tlsFilesOf(environment), name));
  /** Calls `use` with the decrypted key and overwrites its bytes afterwards. */
  const withKey = async <Result>(use: (bytes: Buffer) => Result, within?: AbortSignal): Promise<Result> => {
    // Token and file are read for each signature: an agent renews the token, and the file is replaced when the key is encrypted again.
    const [token, ciphertext] = await Promise.all([readToken(environment, name), readCiphertext(file, name)]);
    const namespace = environment['VAULT_NAMESPACE'];
    const headers = { 'x-vault-token': token, 'x-vault-request': 'true', ...(namespace === undefined ? {} : { 'x-vault-namespace': namespace }) };
    const bytes = parsePlaintext(await exchange({ method: 'POST', url, headers, body: { ciphertext } }, within), name);
    try {
      return use(bytes);
    } finally {
      bytes.fill(0);
    }
  };
  const address = await withKey((bytes) => addressOfKey(`0x${bytes.toString('hex')}`), signal);
  if (address === null) throw noKey(name);
  return createSigner({ address, name, sign: ({ digest }, within) => withKey((bytes) => signWith(bytes, digest, address, name), within) });
}

function signWith(bytes: Buffer, digest: Uint8Array, address: Hex, name: string): { r: bigint; s: bigint } {
  try {
    return secp256k1.sign(digest, bytes);
  } catch {
    throw new SignerFault('wrong-key', `${name} no longer contains the key of ${address}. Restore the file.`);
  }
}

function parseAddress({ VAULT_ADDR: text }: Environment, name: string): string {
  if (text === undefined || text === '') throw new SignerFault('not-configured', `${name} needs VAULT_ADDR, the URL of Vault such as https://vault.internal:8200.`);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) throw new SignerFault('not-configured', `${name}: VAULT_ADDR is not an http(s) URL.`);
  return text.replace(/\/+$/, '');
}

function tlsFilesOf({ VAULT_CACERT: ca, VAULT_CLIENT_CERT: cert, VAULT_CLIENT_KEY: key }: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries({ ca, cert, key }).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''));
}

/** Reads the token: VAULT_TOKEN, otherwise the file in VAULT_TOKEN_FILE (as written by Vault's agent), otherwise the file of `vault login`. */
async function readToken(environment: Environment, name: string): Promise<string> {
  const { VAULT_TOKEN: given, VAULT_TOKEN_FILE: named } = environment;
  if (given !== undefined && given !== '') return given;
  const path = named ?? join(environment['HOME'] ?? homedir(), '.vault-token');
  const token = (await readNamed(path, name, 'the token of Vault (or set VAULT_TOKEN or VAULT_TOKEN_FILE)')).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new SignerFault('not-configured', `${name}: ${path} contains no Vault token.`);
  return token;
}

async function readCiphertext(file: string, name: string): Promise<string> {
  const text = (await readNamed(file, name, 'the encrypted key')).trim();
  if (!/^vault:v\d+:[A-Za-z0-9+/=]+$/.test(text)) {
    throw new SignerFault('not-configured', `${name}: ${file} does not contain a ciphertext of Vault's transit engine ("vault:v1:…"). Create the file with vault write transit/datakey/wrapped/NAME.`);
  }
  return text;
}

async function readNamed(path: string, name: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new SignerFault('not-configured', `${name}: ${path}, ${what}, cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}).`);
  }
}

function parsePlaintext(answer: ServiceAnswer, name: string): Buffer {
  if (answer.status !== 200) throw asFault(answer, name);
  const { plaintext } = (typeof answer.body['data'] === 'object' && answer.body['data'] !== null ? answer.body['data'] : {}) as { plaintext?: unknown };
  if (typeof plaintext !== 'string') throw new SignerFault('bad-answer', `${name}: Vault returned no plaintext.`);
  const bytes = Buffer.from(plaintext, 'base64');
  if (bytes.length !== 32) throw noKey(name);
  return bytes;
}

function noKey(name: string): SignerFault {
  return new SignerFault('wrong-key', `${name}: the file does not contain a private key of 32 bytes. Create the file with vault write transit/datakey/wrapped/NAME bits=256.`);
}

function asFault({ status, body }: ServiceAnswer, name: string): SignerFault {
  const errors = Array.isArray(body['errors']) ? body['errors'].filter((each): each is string => typeof each === 'string') : [];
  const said = errors.join('; ').replaceAll(/\s+/g, ' ').slice(0, 200);
  const kind = kindOf(status, said);
  return new SignerFault(kind, `${name}: Vault did not decrypt the key (HTTP ${status}${said === '' ? '' : `: ${said}`}). ${remedies[kind]}`);
}

function kindOf(status: number, said: string): SignerFaultKind {
  if (status === 429 && !/standby/i.test(said)) return 'throttled';
  if (status === 400 && /not found|ciphertext|authentication failed|disallowed|decrypt/i.test(said)) return 'wrong-key';
  if (status === 404) return 'wrong-key';
  if (status >= 400 && status < 429) return 'refused';
  return 'unreachable';
}

const remedies: Readonly<Record<SignerFaultKind, string>> = {
  'not-configured': '',
  unreachable: 'Unseal or start Vault; signing then resumes.',
  timeout: 'Signing is retried.',
  throttled: 'A rate limit of Vault was reached; signing is retried.',
  refused: 'Check that the token is valid and that its policy has "update" on the decrypt path of the key.',
  'wrong-key': 'Check mount, name and file: this transit key must have encrypted the file, with a key version that is still allowed to decrypt.',
  'bad-answer': '',
};
