import { createRequire } from 'node:module';
import { compactSignature } from './compactSignature.ts';
import { publicKeyAddress } from './publicKeyAddress.ts';
import type { Recovery } from './recovery.ts';

/** The function of the addon that this file uses. */
interface Secp256k1Addon {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean, output: Uint8Array): Uint8Array;
}

/**
 * Creates a recovery with the native addon of the package `secp256k1`. The addon is loaded by its own path, because the package's index
 * silently falls back to `elliptic`, which takes 29 times as long.
 * @returns null if there is no addon for this platform
 */
export function createSecp256k1Recovery(): Recovery | null {
  const addon = loadAddon();
  if (addon === null) return null;
  const key = new Uint8Array(65);
  return {
    name: 'secp256k1',
    recover(digest, signature) {
      const compact = compactSignature(signature);
      if (compact === null || digest.length !== 32) return null;
      try {
        addon.ecdsaRecover(compact.bytes, compact.recoveryId, digest, false, key);
      } catch {
        // r is not an x coordinate of the curve, or the recovered point is the point at infinity.
        return null;
      }
      return publicKeyAddress(key);
    },
  };
}

function loadAddon(): Secp256k1Addon | null {
  try {
    return createRequire(import.meta.url)('secp256k1/bindings.js') as Secp256k1Addon;
  } catch {
    return null;
  }
}
