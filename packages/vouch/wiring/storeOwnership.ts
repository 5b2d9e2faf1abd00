import { exitCodes } from '@vouch/platform/process/exitCodes';
import { openStore, type Store, type StoreOwner } from '@vouch/platform/blobs/storeOwner';
import type { Finding, Platform } from '@vouch/platform/product/product';
import { blobReferences } from './blobReferences.ts';
import { CommandFault } from '../terminal/commandFault.ts';

/** The store of a platform with the names that this program gives to blobs. */
export function storeOf({ blobs, database, random }: Pick<Platform, 'blobs' | 'database' | 'random'>): Store {
  return { blobs, database, random, references: blobReferences };
}

/**
 * Marks a new store as this installation's, before anything is put into it.
 * @throws Error where the store is another installation's, which would remove what this one puts there
 */
export async function requireOwnStore(platform: Pick<Platform, 'blobs' | 'database' | 'random' | 'log'>): Promise<void> {
  const fault = explainOwner(platform.blobs.place, await openStore(storeOf(platform)));
  if (fault === null) return;
  if (fault.status === 'fault') throw new CommandFault(exitCodes.usage, `${fault.detail}. ${fault.remedy}`);
  platform.log.warn({ remedy: fault.remedy }, fault.detail);
}

/** What a person has to know of a store that is not this database's, null where it is. */
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
