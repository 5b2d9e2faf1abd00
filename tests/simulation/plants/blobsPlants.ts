import type { PlantedFault } from './plantedFault.ts';

const file = 'packages/platform/blobs/collectBlobs.ts';

/** Faults of the collection of blobs. The simulation must find those with a seed. */
export const blobsPlants: readonly PlantedFault[] = [
  { name: 'a blob that was put again is removed', seed: null, scenario: 'blobs', file, replace: 'await blobs.remove(row.name, row.marked_at.getTime())', by: 'await blobs.remove(row.name)' },
  { name: 'a blob that got a name is removed', seed: null, scenario: 'blobs', file, replace: ' AND NOT EXISTS (SELECT FROM (${namedBlobs(references)}) AS named WHERE named.name = blob_tombstones.name)', by: '' },
  { name: 'marks are never carried out', seed: null, scenario: 'blobs', file, replace: 'while (await mayGoOn()) if', by: 'while (options.restMs === 1 && await mayGoOn()) if' },
];
