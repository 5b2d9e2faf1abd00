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

interface Server {
  place: VouchPlace;
  service: Service;
}

/** Both servers share one database and one blob store. Each test uploads a file of its own, and kills processes while the file is attached to histories. */
describe.skipIf(isSkipped)('an uploaded file that two servers attach to histories, under kill -9 (needs /proc)', () => {
  let database: TestDatabase;
  /** The server that receives the files, and the other one. */
  let servers: Record<'sender' | 'other', Server>;
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

  async function start(place: VouchPlace): Promise<Server> {
    return { place, service: await startServe(place, { environment: { DATABASE_URL: database.connectionString } }) };
  }

  /** Uploads the file of a visitor and kills processes of a server while it reads the file. The upload may be without an answer. */
  async function killWhileAttaching(visitor: string, { place, service }: Server, victims: (tree: ProcessMark[]) => ProcessMark[]): Promise<ProcessMark[]> {
    const uploading = clientOf(servers.sender.place).upload([{ name: 'rows.csv', content: fileOf(visitor, items) }], [visitor]).catch(() => null);
    await waitUntil('the file is being attached', async () => processTree(service.processId).some(isReader));
    const tree = processTree(service.processId);
    expect(await listOf(clientOf(place), visitor)).toBeNull();
    killAll(victims(tree));
    await uploading;
    return tree;
  }

  async function expectAttachedIn(server: Server, visitor: string): Promise<void> {
    await expectAttached(clientOf(server.place), server.place, visitor, items);
  }

  it('counts completely in the same server, and in the other one, when the process that reads it dies', async () => {
    const [server] = processTree(servers.sender.service.processId);
    await killWhileAttaching('the reader', servers.sender, (tree) => tree.filter(isReader));
    await expectAttachedIn(servers.sender, 'the reader');
    await expectAttachedIn(servers.other, 'the reader');
    expect(processTree(servers.sender.service.processId)[0]).toEqual(server);
  });

  // The server that received the file dies with its children; of the other one only the first process is killed, and its children notice.
  for (const { dies, lives, victims } of [
    { dies: 'sender', lives: 'other', victims: (tree: ProcessMark[]) => tree },
    { dies: 'other', lives: 'sender', victims: (tree: ProcessMark[]) => tree.slice(0, 1) },
  ] as const) {
    it(`counts completely in the server that lives, and in the other one after its restart, when the ${dies === 'sender' ? 'server that received the file' : 'other server'} dies`, async () => {
      const [victim, survivor] = [servers[dies], servers[lives]];
      const before = processTree(survivor.service.processId)[0];
      const tree = await killWhileAttaching(dies, victim, victims);
      await Promise.all([victim.service.ended, untilGone(tree)]);
      await expectAttachedIn(survivor, dies);
      servers[dies] = await start(victim.place);
      await expectAttachedIn(servers[dies], dies);
      expect(processTree(survivor.service.processId)[0]).toEqual(before);
    });
  }
});
