import { exitCodes } from '@vouch/platform/process/exitCodes';
import { openStore, type Store, type StoreOwner } from '@vouch/platform/blobs/storeOwner';
import type { BadFinding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import type { Platform } from '@vouch/platform/product/product';
import { blobReferences } from './blobReferences.ts';
import { CommandFault } from '../terminal/commandFault.ts';

/** Returns the blob store of a platform together with the queries for all blob names in use. */
export function storeOf({ blobs, database, random, timers }: Pick<Platform, 'blobs' | 'database' | 'random' | 'timers'>): Store & Pick<Platform, 'timers'> {
  return { blobs, database, random, timers, references: blobReferences };
}

/**
 * Marks a new store as the property of this installation, before the first blob is stored.
 * @throws Error if the store belongs to another installation, whose blob collection would remove the blobs of this installation
 */
export async function requireOwnStore(platform: Pick<Platform, 'blobs' | 'database' | 'random' | 'timers' | 'log'>): Promise<void> {
  const fault = explainOwner(platform.blobs.place, await openStore(storeOf(platform)));
  if (fault === null) return;
  if (fault.status === 'fault') throw new CommandFault(exitCodes.usage, `${fault.detail}. ${fault.remedy}`);
  platform.log.warn({ remedy: fault.remedy }, fault.detail);
}

/** Explains why a store does not belong to this database; null if it does. */
export function explainOwner(place: string, owner: StoreOwner): BadFinding | null {
  if (owner.owner === 'this') return null;
  if (owner.owner === 'another') {
    return platformFindings.found('store-foreign', `${capital(place)} belongs to another installation, so this server deletes nothing from the store`);
  }
  if (owner.owner === 'disputed') {
    return platformFindings.found('store-disputed', `${capital(place)} was used by another copy of this database, so this server deletes nothing from the store`);
  }
  return platformFindings.found(
    'store-unowned', `${capital(place)} has no recorded owner and contains files without a reference in this database, e.g. ${owner.unnamed}, so this server deletes nothing from the store`,
  );
}

function capital(place: string): string {
  return place.charAt(0).toUpperCase() + place.slice(1);
}
