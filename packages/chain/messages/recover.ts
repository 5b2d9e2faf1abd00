import { digestOf, domainHash } from './digest.ts';
import { createLibauthRecovery } from './libauthRecovery.ts';
import type { Domain, Hex, Operation, Signature } from './operation.ts';
import type { Recovery } from './recovery.ts';
import { createSecp256k1Recovery } from './secp256k1Recovery.ts';

/**
 * Opens the fastest available recovery: the native addon of `secp256k1`, otherwise the WebAssembly of `@bitauth/libauth`, which needs
 * neither a compiler nor an install script. The addon is 2.4 times as fast; see bench/results/gateway-recovery.md.
 * @param native the addon; null if there is none
 * @example
 * const recovery = await openRecovery();
 * const signer = recovery.recover(digestOf(operation, domainHash(domain)), signature);
 */
export async function openRecovery(native: Recovery | null = createSecp256k1Recovery()): Promise<Recovery> {
  return native !== null && recoversRightly(native) ? native : createLibauthRecovery();
}

/** Tests an implementation with a signature of a known signer, because an addon that loads may still malfunction on this machine. */
function recoversRightly(recovery: Recovery): boolean {
  try {
    return recovery.recover(digestOf(knownOperation, domainHash(knownDomain)), knownSignature) === knownSigner;
  } catch {
    return false;
  }
}

/** A message signed with the private key 1. */
const knownDomain: Domain = { name: 'ProtocolService', version: '1.0.0', chainId: 31337n };
const knownOperation: Operation = { kind: 'exit', expiredAt: 1_700_003_600n };
const knownSigner: Hex = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const knownSignature: Signature = {
  v: 27,
  r: '0x01dc4bda8605e49136a92a8dcfc99f8722680e5a4f6146eb4f5c4579204dbd8f',
  s: '0x6ad4123e6e6cbd15d26ec91b432886ad5b9e07c63b2bebe8d75bc8693df90302',
};
