import { exitCodes } from '@vouch/platform/process/exitCodes';
import { openStore, type Store, type StoreOwner } from '@vouch/platform/blobs/storeOwner';
import type { Finding, Platform } from '@vouch/platform/product/product';
import { blobReferences } from './blobReferences.ts';
import { CommandFault } from '../terminal/commandFault.ts';

/** Returns the blob store of a platform together with the queries for all blob names in use. */
export function storeOf({ blobs, database, random }: Pick<Platform, 'blobs' | 'database' | 'random'>): Store {
  return { blobs, database, random, references: blobReferences };
}

/**
 * Marks a new store as the property of this installation, before the first blob is stored.
 * @throws Error if the store belongs to another installation, whose blob collection would remove the blobs of this installation
 */
export async function requireOwnStore(platform: Pick<Platform, 'blobs' | 'database' | 'random' | 'log'>): Promise<void> {
  const fault = explainOwner(platform.blobs.place, await openStore(storeOf(platform)));
  if (fault === null) return;
  if (fault.status === 'fault') throw new CommandFault(exitCodes.usage, `${fault.detail}. ${fault.remedy}`);
  platform.log.warn({ remedy: fault.remedy }, fault.detail);
}

/** Explains why a store does not belong to this database; null if it does. */
export function explainOwner(place: string, owner: StoreOwner): (Finding & { remedy: string }) | null {
  if (owner.owner === 'this') return null;
  if (owner.owner === 'another') {
    return {
      status: 'fault', detail: `${capital(place)} belongs to another installation, so this server deletes nothing from the store`,
      remedy: 'Check DATABASE_URL, and give each installation a separate bucket or data folder. If the other database no longer exists, run vouch blobs claim.',
    };
  }
  if (owner.owner === 'disputed') {
    return {
      status: 'warning', detail: `${capital(place)} was used by another copy of this database, so this server deletes nothing from the store`,
      remedy: 'Stop all servers and workers on the other copy, then run vouch blobs claim with the database that should own the store. A database restored from a backup is a copy too.',
    };
  }
  return {
    status: 'warning', detail: `${capital(place)} has no recorded owner and contains files without a reference in this database, e.g. ${owner.unnamed}, so this server deletes nothing from the store`,
    remedy: 'If no other installation uses the store, run vouch blobs claim, which also shows the number of these files.',
  };
}

function capital(place: string): string {
  return place.charAt(0).toUpperCase() + place.slice(1);
}
