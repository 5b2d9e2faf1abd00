import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { expectAttached, fileOf, isReader, listOf, trainShop } from './harness/attachedFile.ts';
import { clientOf, makePlace, removePlace, startServe, stopService, waitUntil } from './harness/place.ts';
import { killAll, processTree, untilGone, type ProcessMark } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

const isSkipped = !exhaustive || process.platform !== 'linux';

/** All tests share one server and folder; each uploads a file of its own, and kills processes while the file is attached to histories. */
describe.skipIf(isSkipped)('an uploaded file that is being attached to histories, under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  let service: Service;
  let items: string[] = [];

  beforeAll(async () => {
    place = await makePlace();
    service = await startServe(place);
    items = await trainShop(clientOf(place));
  });
  afterAll(async () => {
    expect(await stopService(service)).toBe(0);
    await removePlace(place);
  });

  /** Uploads the file of a visitor and kills processes while the server reads the file. The upload may be without an answer. */
  async function killWhileAttaching(visitor: string, victims: (tree: ProcessMark[]) => ProcessMark[]): Promise<ProcessMark[]> {
    const uploading = clientOf(place).upload([{ name: 'rows.csv', content: fileOf(visitor, items) }], [visitor]).catch(() => null);
    await waitUntil('the file is being attached', async () => processTree(service.processId).some(isReader));
    const tree = processTree(service.processId);
    expect(await listOf(clientOf(place), visitor)).toBeNull();
    killAll(victims(tree));
    await uploading;
    return tree;
  }

  it('counts completely after a restart when the server alone dies', async () => {
    const tree = await killWhileAttaching('the server', (all) => all.slice(0, 1));
    await service.ended;
    service = await startServe(place);
    await untilGone(tree);
    await expectAttached(clientOf(place), place, 'the server', items);
  });

  it('counts completely in the same server when the process that reads it dies', async () => {
    await killWhileAttaching('the reader', (tree) => tree.filter(isReader));
    await expectAttached(clientOf(place), place, 'the reader', items);
  });
});

describe.skipIf(isSkipped)('an uploaded file that two servers over one database attach to histories, under kill -9 (needs /proc)', () => {
  let database: TestDatabase;
  /** The server that receives the files, and the other one. */
  let servers: Record<'sender' | 'other', { place: VouchPlace; service: Service }>;
  let items: string[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    const [sender, other] = [await makePlace(), await makePlace()];
    // One blob store for both, as where a shared file system is mounted.
    await symlink(join(sender.folder, 'blobs'), join(other.folder, 'blobs'));
    servers = { sender: await start(sender), other: await start({ ...other, key: sender.key }) };
    items = await trainShop(clientOf(sender));
  });
  afterAll(async () => {
    for (const { service } of Object.values(servers)) expect(await stopService(service)).toBe(0);
    await database.close();
    for (const { place } of Object.values(servers)) await removePlace(place);
  });

  async function start(place: VouchPlace): Promise<{ place: VouchPlace; service: Service }> {
    return { place, service: await startServe(place, { environment: { DATABASE_URL: database.connectionString } }) };
  }

  for (const [dies, lives] of [['sender', 'other'], ['other', 'sender']] as const) {
    it(`counts completely in the server that lives, and in the other one after its restart, when the ${dies === 'sender' ? 'server that received the file' : 'other server'} dies`, async () => {
      const [victim, survivor] = [servers[dies], servers[lives]];
      const uploading = clientOf(servers.sender.place).upload([{ name: 'rows.csv', content: fileOf(dies, items) }], [dies]).catch(() => null);
      await waitUntil('the server that will die reads the file', async () => processTree(victim.service.processId).some(isReader));
      const tree = processTree(victim.service.processId);
      expect(await listOf(clientOf(victim.place), dies)).toBeNull();
      const before = processTree(survivor.service.processId)[0];
      killAll(tree);
      await Promise.all([uploading, victim.service.ended, untilGone(tree)]);
      await expectAttached(clientOf(survivor.place), survivor.place, dies, items);
      servers[dies] = await start(victim.place);
      await expectAttached(clientOf(victim.place), victim.place, dies, items);
      expect(processTree(survivor.service.processId)[0]).toEqual(before);
    });
  }
});
