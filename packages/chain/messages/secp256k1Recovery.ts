import { createRequire } from 'node:module';
import { compactSignature } from './compactSignature.ts';
import { publicKeyAddress } from './publicKeyAddress.ts';
import type { Recovery } from './recovery.ts';

/** The part of the addon that we use. */
interface Secp256k1Addon {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean, output: Uint8Array): Uint8Array;
}

/**
 * Recovery by the native addon of the package `secp256k1`; null where there is none for this platform. The package's own
 * index falls silently back to `elliptic`, 29 times as slow, so the addon is asked for by its own file.
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
        // r is no x-coordinate of the curve, or the point is the one at infinity.
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
