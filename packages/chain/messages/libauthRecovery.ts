import { compactSignature } from './compactSignature.ts';
import { publicKeyAddress } from './publicKeyAddress.ts';
import type { Recovery } from './recovery.ts';

/** Recovery by WebAssembly, which works wherever Node does. */
export async function createLibauthRecovery(): Promise<Recovery> {
  // Loaded only where it is needed: with it come 200 ms and the rest of a large library.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const { recoverPublicKeyUncompressed } = await instantiateSecp256k1();
  return {
    name: 'libauth',
    recover(digest, signature) {
      const compact = compactSignature(signature);
      if (compact === null || digest.length !== 32) return null;
      const key = recoverPublicKeyUncompressed(compact.bytes, compact.recoveryId, digest);
      return typeof key === 'string' ? null : publicKeyAddress(key);
    },
  };
}
