import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import { openStore } from '@vouch/platform/blobs/storeOwner';
import { connectDatabase } from '@vouch/platform/database/connect';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { expectStatus } from '../../../bench/harness/vouchClient.ts';
import { BackupFault, readManifest, type Manifest } from '../../../packages/vouch/backup/manifest.ts';
import { blobReferences } from '../../../packages/vouch/wiring/blobReferences.ts';
import { uploadCatalogue, withoutChoice } from '../harness/place.ts';
import type { PointCommand } from './crashCommand.ts';
import type { PointWorld } from './pointWorld.ts';
import { anyOf } from './quietPoints.ts';

const shape = { items: 40, users: 100, interactions: 1_000, seed: 5 };

/** Statements about migrations that are there. */
const idle = /^\d+ (?:before|after) (?:(?:COMMIT of )?CREATE TABLE IF NOT EXISTS\b|COMMIT of SET LOCAL\b)/;

async function fill({ client }: PointWorld): Promise<void> {
  await uploadCatalogue(client, shape);
  expectStatus(await client.post('/v1/recommender/train', { model_id: 'kept', ...withoutChoice }), 202);
  const { status } = await client.untilEnded('kept');
  if (status !== 'completed') throw new Error(`the training ended with ${status}`);
}

/** Runs a command to its end. @returns a fault, or null */
async function runToEnd(world: PointWorld, words: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<string | null> {
  const service = await world.run(words, { environment });
  const how = await service.ended;
  return how === 0 ? null : `vouch ${words[0]} ended with ${how}: ${service.output()}`;
}

/** Writes a backup beside a running server. After a death, a restore refuses the folder, or the backup is complete, and another backup is not hindered. */
export function backupPoints(): PointCommand {
  const folderOf = ({ place }: PointWorld, id: string): string => join(place.folder, `backup-${id}`);
  return {
    // Of the tables and of the cursors that read them, the first ones; the others follow in the same way.
    name: 'backup', beside: anyOf(idle, /^\d+ (?:before|after) (?:DECLARE|FETCH|CLOSE)\b/, /\b(?:open|sync) .*\/tables\/(?!batches|keys)/),
    prepare: fill,
    command: async (world, id) => ({ words: ['backup', folderOf(world, id)] }),
    async recover(world, id) {
      const left = await readManifest(folderOf(world, id)).catch((error: unknown) => {
        if (error instanceof BackupFault && error.message.includes('is not a complete backup')) return null;
        throw error;
      });
      const again = await runToEnd(world, ['backup', folderOf(world, `${id}-again`)]);
      if (again !== null) return [again];
      const faults = await findDamage(folderOf(world, `${id}-again`));
      return left === null ? faults : [...faults, ...await findDamage(folderOf(world, id))];
    },
  };
}

/** Returns the tables and blobs that a backup lists and does not contain with their content. */
async function findDamage(folder: string): Promise<string[]> {
  const { blobs, tables } = await readManifest(folder);
  const store = createFolderBlobs(join(folder, 'checked'), systemInterfaces);
  const faults: string[] = [];
  for (const { name } of blobs) {
    const stored = await store.putFile(join(folder, 'blobs', name)).catch(() => null);
    if (stored?.name !== name) faults.push(`${name} of the backup is damaged`);
  }
  for (const { name, file, sha256 } of tables) {
    const content = await readFile(join(folder, 'tables', file)).catch(() => '');
    if (createHash('sha256').update(content).digest('hex') !== sha256) faults.push(`the table ${name} of the backup is damaged`);
  }
  return faults;
}

/** Restores a backup into an empty database and data folder. After a death, another restore completes. */
export function restorePoints(): PointCommand {
  let manifest: Manifest | null = null;
  const places = new Map<string, { DATABASE_URL: string; VOUCH_DATA: string }>();
  const backupOf = ({ place }: PointWorld): string => join(place.folder, 'backup-0');
  return {
    // Of the migrations, which are each a transaction, the first three.
    name: 'restore', beside: anyOf(idle, /^\d+ (?:before|after) (?:--|alter\b|create\b)/, /^(?:[4-9]|\d\d+) .*\bINTO migrations\b/),
    async prepare(world) {
      await fill(world);
      const fault = await runToEnd(world, ['backup', backupOf(world)]);
      if (fault !== null) throw new Error(fault);
      manifest = await readManifest(backupOf(world));
    },
    async command(world, id) {
      const environment = { DATABASE_URL: await world.createDatabase(`restored-${id}`), VOUCH_DATA: join(world.place.folder, `restored-${id}`) };
      places.set(id, environment);
      return { words: ['restore', backupOf(world)], environment };
    },
    async recover(world, id) {
      const environment = places.get(id);
      if (environment === undefined || manifest === null) throw new Error(`there is no restore ${id}`);
      // A server could start at once, and the repeated restore stores each blob again.
      const lost = await findLost(manifest, environment);
      const fault = await runToEnd(world, ['restore', backupOf(world)], environment);
      return [...lost, ...(fault === null ? [] : [fault]), ...await findMissing(manifest, environment)];
    },
  };
}

/** Returns the blobs that restored rows name and the store does not have. */
async function findLost({ tables }: Manifest, { DATABASE_URL, VOUCH_DATA }: { DATABASE_URL: string; VOUCH_DATA: string }): Promise<string[]> {
  const database = await connectDatabase({ connection: DATABASE_URL, log: createLogger('silent'), maxConnections: 1 });
  try {
    const { rows: [made] } = await database.query<{ all: boolean }>('SELECT bool_and(to_regclass(quote_ident(name)) IS NOT NULL) AS all FROM unnest($1::text[]) AS name', [tables.map(({ name }) => name)]);
    if (made?.all !== true) return [];
    const { rows } = await database.query<{ blob: string }>(`SELECT DISTINCT blob FROM (${blobReferences.join(' UNION ')}) AS named (blob) WHERE blob IS NOT NULL`);
    const blobs = createFolderBlobs(join(VOUCH_DATA, 'blobs'), systemInterfaces);
    const stored = await Promise.all(rows.map(({ blob }) => blobs.stat(blob)));
    return rows.filter((_, at) => stored[at] === null).map(({ blob }) => `${blob} is named, and missing`);
  } finally {
    await database.close();
  }
}

/** Returns the tables and blobs that are not restored. */
async function findMissing(manifest: Manifest, { DATABASE_URL, VOUCH_DATA }: { DATABASE_URL: string; VOUCH_DATA: string }): Promise<string[]> {
  const database = await connectDatabase({ connection: DATABASE_URL, log: createLogger('silent'), maxConnections: 1 });
  const blobs = createFolderBlobs(join(VOUCH_DATA, 'blobs'), systemInterfaces);
  const faults: string[] = [];
  try {
    // The check of the next start of a server.
    const { owner } = await openStore({ ...systemInterfaces, blobs, database, references: blobReferences });
    if (owner !== 'this') faults.push(`the blob store belongs to ${owner}`);
    for (const { name, rows } of manifest.tables) {
      const found = await database.query<{ rows: string }>(`SELECT count(*) AS rows FROM "${name}"`);
      if (Number(found.rows[0]?.rows) !== rows) faults.push(`table ${name} has ${found.rows[0]?.rows} rows of ${rows}`);
    }
    const stored = new Set<string>();
    for await (const { name } of blobs.list()) stored.add(name);
    faults.push(...manifest.blobs.filter(({ name }) => !stored.has(name)).map(({ name }) => `${name} is missing`));
  } finally {
    await database.close();
  }
  return faults;
}
