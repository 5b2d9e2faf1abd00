import { readFile } from 'node:fs/promises';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import { showPath } from '@vouch/chain/keystore/showPath';
import type { Hex } from '@vouch/chain/messages/operation';
import { isKeyReference, parseKeyReference } from '@vouch/chain/signers/keyReference';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { describeReference, openSigner, type SignerParts } from '@vouch/chain/signers/openSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import { settingOf } from '../deployments/namedDeployment.ts';
import type { DeploymentSettings } from '../settings/gatewaySettings.ts';

/** A configured relayer key that is not opened yet; opening can fail because of an unreachable service or a wrong password. */
export interface RelayerKey {
  /** Location of the key, for logs and errors. */
  name: string;
  /**
   * Opens the key.
   * @throws SignerFault; Error that names the setting or file, never a key or password; the reason of `signal`
   */
  open(signal?: AbortSignal): Promise<Signer>;
}

/** A deployment's settings that name its keys. */
export interface NamedKeys {
  name: string;
  settings: Pick<DeploymentSettings, 'relayer_keys' | 'relayer_keystores' | 'relayer_password_file'>;
}

/**
 * Lists a deployment's relayer keys. Only the pipeline and the doctor receive the keys.
 * @param inTurn shared by all deployments, so that keystores open in sequence
 */
export function listRelayerKeys({ name, settings }: NamedKeys, parts: SignerParts, inTurn: Turns = createTurns()): RelayerKey[] {
  const { relayer_keys: keys = [], relayer_keystores: paths = [], relayer_password_file: passwordFile } = settings;
  const settingNames = { keystores: settingOf(name, 'relayer_keystores'), passwordFile: settingOf(name, 'relayer_password_file') };
  return [
    ...keys.map((text, place) => (isKeyReference(text) ? referredKey(text, parts) : clearKey(text, `private key ${place + 1} of ${settingOf(name, 'relayer_keys')}`))),
    ...paths.map((path) => ({ name: `the keystore ${showPath(path)}`, open: () => inTurn(() => openFile(path, passwordFile, settingNames)) })),
  ];
}

function referredKey(text: string, parts: SignerParts): RelayerKey {
  const reference = parseKeyReference(text);
  return { name: describeReference(reference), open: (signal) => openSigner(reference, parts, signal) };
}

function clearKey(text: string, name: string): RelayerKey {
  const key: Hex = `0x${text.replace(/^0x/i, '').toLowerCase()}`;
  return { name, open: async () => createLocalSigner(key, name) };
}

async function openFile(path: string, passwordFile: string | undefined, names: { keystores: string; passwordFile: string }): Promise<Signer> {
  if (passwordFile === undefined) throw new Error(`${names.keystores} is set, but ${names.passwordFile} is not. Set it to the file with the password of the keystores.`);
  const password = (await readText(passwordFile, names.passwordFile)).split(/\r?\n/, 1)[0] ?? '';
  const text = await readText(path, names.keystores);
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

/** Runs tasks in sequence. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a queue of tasks for opening keystores: a standard keystore needs 256 MB while it opens. */
export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
}
