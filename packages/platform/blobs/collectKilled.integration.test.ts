import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import { exhaustive, exhaustiveTest } from '../testing/exhaustive.ts';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { createFolderBlobs } from './folderBlobs.ts';
import { openStore } from './storeOwner.ts';

/** Each round has a kill. */
const rounds = exhaustive ? 10 : 2;
const longestLifeMs = 333;
const contents = Array.from({ length: 8 }, (_, index) => `content ${index}`);
let database: TestDatabase;
let folder: string;
let children: ChildProcess[];

beforeAll(async () => {
  children = [];
  database = await openTestDatabase();
  await database.query('CREATE TABLE batches (blob text PRIMARY KEY)');
  folder = await mkdtemp(join(tmpdir(), 'vouch-killed-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const nameOf = (content: string): string => `sha256-${createHash('sha256').update(content).digest('hex')}`;

interface Totals {
  collections: number;
  marked: number;
  removed: number;
  owners: Set<string>;
}

/** Starts a process that collects in a loop; `totals` adds up what the process reports. */
async function startCollector(totals: Totals): Promise<ChildProcess> {
  const child = spawn(process.execPath, [
    '--import', import.meta.resolve('tsx'), fileURLToPath(new URL('../testing/children/collectForever.ts', import.meta.url)), database.connectionString, folder,
  ], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    const [owner = '', marked, removed] = line.split(' ');
    // A killed process may hold the election until PostgreSQL notices its death; until then no process collects.
    if (owner !== 'undefined') totals.owners.add(owner);
    totals.collections += 1;
    totals.marked += Number(marked) || 0;
    totals.removed += Number(removed) || 0;
  });
  await once(lines, 'line');
  return child;
}

exhaustiveTest('a collector that is killed at any moment leaves all that has a name and was put', async () => {
  const totals: Totals = { collections: 0, marked: 0, removed: 0, owners: new Set() };
  await openStore({ ...systemInterfaces, database, blobs: createFolderBlobs(folder, systemInterfaces), references: ['SELECT blob FROM batches'] });
  for (let round = 0; round < rounds; round += 1) {
    const child = await startCollector(totals);
    const blobs = createFolderBlobs(folder, systemInterfaces);
    /** Waits for that many more collections, with no time limit, because a collection can be slow on a busy machine. */
    const collected = async (more: number): Promise<void> => {
      const goal = totals.collections + more;
      while (totals.collections < goal && child.signalCode === null) await systemInterfaces.timers.sleep(5);
    };
    /**
     * Deletes the row that names a blob, later puts the blob again and restores the row: after a short pause, or after a collection had time to mark
     * the blob and a second one to remove it.
     */
    const renew = async (content: string): Promise<void> => {
      while (child.signalCode === null) {
        await database.query('DELETE FROM batches WHERE blob = $1', [nameOf(content)]);
        if (systemInterfaces.random.fraction() < .5) await collected(3);
        else await systemInterfaces.timers.sleep(80 * systemInterfaces.random.fraction());
        // The collector runs without a grace period, so the row must exist before the blob is put.
        await database.query('INSERT INTO batches VALUES ($1)', [nameOf(content)]);
        await blobs.putStream(Readable.from([content]));
        await systemInterfaces.timers.sleep(20);
        // A removal may have set the blob aside for a moment, or died after it did. The next process that opens the store restores such a blob.
        if (await blobs.stat(nameOf(content)) === null) await createFolderBlobs(folder, systemInterfaces).check();
        expect(await blobs.stat(nameOf(content)), content).not.toBeNull();
      }
    };
    const killing = collected(5).then(async () => {
      await systemInterfaces.timers.sleep(longestLifeMs * round / (rounds - 1));
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await Promise.all([killing, ...contents.map(renew)]);
    const reopened = createFolderBlobs(folder, systemInterfaces);
    await reopened.check();
    for (const content of contents) expect(await text(await reopened.read(nameOf(content)))).toBe(content);
  }
  expect([totals.marked > 0, totals.removed > 0, [...totals.owners]]).toEqual([true, true, ['this']]);
});
