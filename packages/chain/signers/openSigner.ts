import type { Doors } from '@vouch/platform/process/doors';
import type { KeyReference } from './keyReference.ts';
import type { Signer } from './signer.ts';
import { SignerFault } from './signerFault.ts';
import { signerTimeoutMs } from './withinTime.ts';

export interface SignerParts {
  doors: Pick<Doors, 'clock' | 'timers'>;
  /** Where the variables of Vault are read; the SDKs of clouds read those of the process. */
  environment: Readonly<Record<string, string | undefined>>;
  timeoutMs?: number;
}

/**
 * Opens the key that a reference names. Where the reference names an address too, the service is first asked with the first
 * signature: a service that is away keeps nobody from starting, and a key that was exchanged is found out.
 * @throws SignerFault; the reason of `signal`
 */
export async function openSigner(reference: KeyReference, parts: SignerParts, signal?: AbortSignal): Promise<Signer> {
  return reference.address === null ? openNow(reference, parts, signal) : openLater(reference, reference.address, parts);
}

/** The libraries of a service are loaded here, and only for who uses it. */
async function openNow(reference: KeyReference, parts: SignerParts, signal?: AbortSignal): Promise<Signer> {
  const { doors, environment, timeoutMs = signerTimeoutMs } = parts;
  const limit = { name: describeReference(reference), timeoutMs, timers: doors.timers };
  switch (reference.service) {
    case 'awskms':
      return (await import('./awsKms.ts')).openAwsKms(reference, limit, signal);
    case 'gcpkms':
      return (await import('./googleKms.ts')).openGoogleKms(reference, limit, signal);
    case 'vault':
      return (await import('./vaultTransit.ts')).openVaultTransit(reference, limit, environment, signal);
    case 'web3signer':
      return (await import('./web3signer.ts')).openWeb3signer(reference, limit, doors.clock, signal);
  }
}

function openLater(reference: KeyReference, address: Signer['address'], parts: SignerParts): Signer {
  const name = describeReference(reference);
  let opened: Signer | null = null;
  const open = async (signal?: AbortSignal): Promise<Signer> => {
    signal?.throwIfAborted();
    const found = opened ?? await openNow(reference, parts, signal);
    if (found.address !== address) {
      throw new SignerFault('wrong-key', `${name} is the key of ${found.address}, and the configuration expects ${address} (behind "#"). Was the key exchanged?`);
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

/** What sentences call the place of a key. */
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
