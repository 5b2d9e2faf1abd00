import { readFile } from 'node:fs/promises';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import { parseKeystore } from '@vouch/chain/keystore/parseKeystore';
import { showPath } from '@vouch/chain/keystore/showPath';
import type { Hex } from '@vouch/chain/messages/operation';
import { isKeyReference, parseKeyReference, type KeyReference } from '@vouch/chain/signers/keyReference';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { openSigner } from '@vouch/chain/signers/openSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { readPassword } from '@vouch/verifier/keys/readPassword';
import { SecretInput } from '@vouch/verifier/keys/secretInput';
import { CommandFault } from '../terminal/commandFault.ts';

/** The account that sends the transactions of a deployment. */
export interface Deployer {
  address: Hex;
  /** Opens the key. Prompts for the password of a keystore unless a password file is given. */
  open(): Promise<Signer>;
}

/**
 * Finds the deploying account.
 * @param key path of a keystore, or a reference to a key in a signing service
 * @param passwordFile file whose first line is the password of the keystore
 * @throws CommandFault with an explanation; SignerFault, KeyFault
 */
export async function openDeployer(key: string | undefined, passwordFile: string | undefined, signal: AbortSignal): Promise<Deployer> {
  if (key === undefined) {
    throw new CommandFault(exitCodes.usage, '--key is missing: set it to the keystore of the deploying account, or to a key in a signing service, such as awskms:alias/deployer.');
  }
  if (isPrivateKey(key)) {
    throw new CommandFault(exitCodes.usage, '--key is a private key, which process lists and the history of the shell now show: do not use this key any more. Use a keystore, or a key in a signing service, such as awskms:alias/deployer.');
  }
  if (isKeyReference(key)) return ofService(key, signal);
  const text = await readFile(key, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `The keystore ${showPath(key)} cannot be read (${error.code ?? 'unknown reason'}). --key sets this path.`);
  });
  const { address } = await explain(key, () => parseKeystore(text));
  const open = async (): Promise<Signer> => {
    const input = new SecretInput(process.stdin, process.stderr);
    const password = await readPassword(passwordFile === undefined ? { kind: 'ask' } : { kind: 'file', path: passwordFile }, input, warn);
    const opened = await explain(key, () => openKeystore(text, password));
    return createLocalSigner(opened.privateKey, `the keystore ${key}`);
  };
  // Some keystores omit the Ethereum address; then only the decrypted key reveals the address.
  if (address === null) {
    const signer = await open();
    return { address: signer.address, open: async () => signer };
  }
  return { address, open };
}

async function ofService(text: string, signal: AbortSignal): Promise<Deployer> {
  const signer = await openSigner(parseReference(text), { system: systemInterfaces, environment: process.env }, signal);
  return { address: signer.address, open: async () => signer };
}

function parseReference(text: string): KeyReference {
  try {
    return parseKeyReference(text);
  } catch (error) {
    throw new CommandFault(exitCodes.usage, `--key cannot be used: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isPrivateKey(text: string): boolean {
  return /^(?:0x)?[0-9a-f]{64}$/i.test(text.trim());
}

async function explain<Result>(path: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === 'KeystoreFault') throw new CommandFault(exitCodes.input, `${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

function warn(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
