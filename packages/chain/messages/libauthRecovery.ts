import { compactSignature } from './compactSignature.ts';
import { publicKeyAddress } from './publicKeyAddress.ts';
import type { Recovery } from './recovery.ts';

/** Creates a recovery in WebAssembly, which works on every platform of Node. */
export async function createLibauthRecovery(): Promise<Recovery> {
  // Imported on demand: loading the library takes 200 ms.
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
