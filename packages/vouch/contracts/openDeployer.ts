import { readFile } from 'node:fs/promises';
import { openKeystore } from '@vouch/chain/keystore/keystore';
import { parseKeystore } from '@vouch/chain/keystore/parseKeystore';
import type { Hex } from '@vouch/chain/messages/operation';
import { isKeyReference, parseKeyReference } from '@vouch/chain/signers/keyReference';
import { createLocalSigner } from '@vouch/chain/signers/localSigner';
import { openSigner } from '@vouch/chain/signers/openSigner';
import type { Signer } from '@vouch/chain/signers/signer';
import { realDoors } from '@vouch/platform/process/doors';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { readPassword } from '@vouch/verifier/keys/readPassword';
import { SecretInput } from '@vouch/verifier/keys/secretInput';
import { CommandFault } from '../terminal/commandFault.ts';

/** Whose transactions a deployment is made of. */
export interface Deployer {
  address: Hex;
  /** Asks for the password of a keystore where no file gives it. */
  open(): Promise<Signer>;
}

/**
 * @param key path of a keystore, or a reference to a key in a service
 * @throws CommandFault with a sentence; SignerFault, KeyFault
 */
export async function openDeployer(key: string | undefined, passwordFile: string | undefined, signal: AbortSignal): Promise<Deployer> {
  if (key === undefined) {
    throw new CommandFault(exitCodes.usage, '--key is missing: name the keystore of the account that deploys, or a key in a service, such as awskms:alias/deployer.');
  }
  if (isKeyReference(key)) return ofService(key, signal);
  const text = await readFile(key, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `The keystore ${key} cannot be read (${error.code ?? 'unknown reason'}). --key names it.`);
  });
  const { address } = explain(key, () => parseKeystore(text));
  const open = async (): Promise<Signer> => {
    const input = new SecretInput(process.stdin, process.stderr);
    const password = await readPassword(passwordFile === undefined ? { kind: 'ask' } : { kind: 'file', path: passwordFile }, input, warn);
    const opened = await openKeystore(text, password).catch((error: unknown) => explain(key, () => { throw error; }));
    return createLocalSigner(opened.privateKey, `the keystore ${key}`);
  };
  // A keystore without an address says only with its password whose it is.
  if (address === null) {
    const signer = await open();
    return { address: signer.address, open: async () => signer };
  }
  return { address, open };
}

async function ofService(text: string, signal: AbortSignal): Promise<Deployer> {
  const reference = ((): ReturnType<typeof parseKeyReference> => {
    try {
      return parseKeyReference(text);
    } catch (error) {
      throw new CommandFault(exitCodes.usage, `--key cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    }
  })();
  const signer = await openSigner(reference, { doors: realDoors, environment: process.env }, signal);
  return { address: signer.address, open: async () => signer };
}

function explain<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && error.name === 'KeystoreFault') throw new CommandFault(exitCodes.input, `${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

function warn(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}
