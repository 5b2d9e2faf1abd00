import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import type { KeyReference } from './keyReference.ts';
import type { Signer } from './signer.ts';
import { SignerFault } from './signerFault.ts';
import { signerTimeoutMs } from './timeLimit.ts';

export interface SignerParts {
  system: Pick<SystemInterfaces, 'clock' | 'elapsedMs' | 'timers'>;
  /** Environment variables for Vault. The SDKs of AWS and Google read the variables of the process. */
  environment: Readonly<Record<string, string | undefined>>;
  timeoutMs?: number;
}

/**
 * Opens the key of a reference. If the reference contains an Ethereum address, the service is first called for the first signature: the
 * gateway can start while the service is down, and a key with another address is rejected.
 * @throws SignerFault; the reason of `signal`
 * @example
 * const signer = await openSigner(parseKeyReference('awskms:alias/relayer'), { system: systemInterfaces, environment: process.env });
 */
export async function openSigner(reference: KeyReference, parts: SignerParts, signal?: AbortSignal): Promise<Signer> {
  return reference.address === null ? openNow(reference, parts, signal) : openLater(reference, reference.address, parts);
}

/** Opens the key immediately. Modules are imported on demand, because each one loads the libraries of its service. */
async function openNow(reference: KeyReference, parts: SignerParts, signal?: AbortSignal): Promise<Signer> {
  const { system, environment, timeoutMs = signerTimeoutMs } = parts;
  const limit = { name: describeReference(reference), timeoutMs, timers: system.timers };
  switch (reference.service) {
    case 'awskms':
      return (await import('./awsKms.ts')).openAwsKms(reference, limit, signal);
    case 'gcpkms':
      return (await import('./googleKms.ts')).openGoogleKms(reference, limit, signal);
    case 'vault':
      return (await import('./vaultTransit.ts')).openVaultTransit(reference, limit, environment, signal);
    case 'web3signer':
      return (await import('./web3signer.ts')).openWeb3signer(reference, limit, system, signal);
  }
}

function openLater(reference: KeyReference, address: Signer['address'], parts: SignerParts): Signer {
  const name = describeReference(reference);
  let opened: Signer | null = null;
  const open = async (signal?: AbortSignal): Promise<Signer> => {
    signal?.throwIfAborted();
    const found = opened ?? await openNow(reference, parts, signal);
    if (found.address !== address) {
      throw new SignerFault('wrong-key', `${name} is the key of ${found.address}, but the configuration expects ${address} (after "#"). Was the key replaced?`);
    }
    opened = found;
    return found;
  };
  return {
    address, name,
    signTransaction: async (transaction, signal) => (await open(signal)).signTransaction(transaction, signal),
    signText: async (text, signal) => (await open(signal)).signText(text, signal),
  };
}

/** Describes the location of a key for messages. */
export function describeReference(reference: KeyReference): string {
  switch (reference.service) {
    case 'awskms':
      return `AWS KMS key ${reference.keyId}`;
    case 'gcpkms':
      return `Google Cloud KMS key ${reference.version}`;
    case 'vault':
      return `Vault transit key ${reference.mount}/${reference.key} with ${reference.file}`;
    case 'web3signer':
      return `web3signer at ${new URL(reference.url).host}`;
  }
}
