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
      status: 'fault', detail: `${capital(place)} belongs to another installation, and nothing is removed from it here`,
      remedy: 'Check DATABASE_URL, and give each installation a bucket or data folder of its own. Where the other database is gone for good, run vouch blobs claim.',
    };
  }
  if (owner.owner === 'disputed') {
    return {
      status: 'warning', detail: `${capital(place)} was used by another copy of this database, so nothing is removed from it`,
      remedy: 'Stop whatever runs on the other copy, then run vouch blobs claim with the database that is to keep the store. A database restored from a backup is a copy too.',
    };
  }
  return {
    status: 'warning', detail: `${capital(place)} does not say whose it is and holds files that this database does not name, e.g. ${owner.unnamed}, so nothing is removed from it`,
    remedy: 'Where no other installation uses it, run vouch blobs claim: it shows how many such files there are.',
  };
}

function capital(place: string): string {
  return place.charAt(0).toUpperCase() + place.slice(1);
}
