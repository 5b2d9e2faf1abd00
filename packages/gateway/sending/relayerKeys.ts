import { readFile } from 'node:fs/promises';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import { showPath } from '@vouch/chain/keystore/showPath';
import type { Hex } from '@vouch/chain/messages/operation';
import { isKeyReference, parseKeyReference } from '@vouch/chain/signers/keyReference';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { describeReference, openSigner, type SignerParts } from '@vouch/chain/signers/openSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import type { GatewaySettings } from '../settings.ts';

/** A key that pays, before it is opened: a service may be away, a password wrong. */
export interface RelayerKey {
  /** Where the key is, for people. */
  name: string;
  /** @throws SignerFault, or Error whose sentence names the setting or the file, never a key or password; the reason of `signal` */
  open(signal?: AbortSignal): Promise<Signer>;
}

type KeySettings = Pick<GatewaySettings, 'relayer_keys' | 'relayer_keystores' | 'relayer_password_file'>;

/** The keys that pay. They go to the pipeline and the doctor, nowhere else. */
export function listRelayerKeys({ relayer_keys: keys = [], relayer_keystores: paths = [], relayer_password_file: passwordFile }: KeySettings, parts: SignerParts): RelayerKey[] {
  const inTurn = createTurns();
  return [
    ...keys.map((text, place) => (isKeyReference(text) ? referredKey(text, parts) : clearKey(text, place))),
    ...paths.map((path) => ({ name: `the keystore ${showPath(path)}`, open: () => inTurn(() => openFile(path, passwordFile)) })),
  ];
}

function referredKey(text: string, parts: SignerParts): RelayerKey {
  const reference = parseKeyReference(text);
  return { name: describeReference(reference), open: (signal) => openSigner(reference, parts, signal) };
}

function clearKey(text: string, place: number): RelayerKey {
  const name = `private key ${place + 1} of VOUCH_RELAYER_KEYS`;
  const key: Hex = `0x${text.replace(/^0x/i, '').toLowerCase()}`;
  return { name, open: async () => createLocalSigner(key, name) };
}

async function openFile(path: string, passwordFile: string | undefined): Promise<Signer> {
  if (passwordFile === undefined) throw new Error('VOUCH_RELAYER_KEYSTORES is set, but VOUCH_RELAYER_PASSWORD_FILE is not: it names the file with their password.');
  const password = (await readText(passwordFile, 'VOUCH_RELAYER_PASSWORD_FILE')).split(/\r?\n/, 1)[0] ?? '';
  const text = await readText(path, 'VOUCH_RELAYER_KEYSTORES');
  try {
    return createLocalSigner((await openKeystore(text, password)).privateKey, `the keystore ${showPath(path)}`);
  } catch (error) {
    throw new Error(`The keystore ${showPath(path)} cannot be opened: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function readText(path: string, setting: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    // oxlint-disable-next-line preserve-caught-error -- the message of the cause holds the path
    throw new Error(`${showPath(path)}, which ${setting} names, cannot be read (${code}).`);
  }
}

/** Keystores are opened one after the other: a standard keystore takes 256 MB while it opens. */
function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
