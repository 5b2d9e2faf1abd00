import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { createFolderBlobs } from '@vouch/platform/blobs/folderBlobs';
import type { Database } from '@vouch/platform/database/database';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { randomModel } from '../testing/randomModel.ts';
import { writeModel } from '../engine/writeModel.ts';
import { announceUpcoming } from '../models/modelStore.ts';
import { publishVersion } from '../models/versions/publishVersion.ts';
import { rollBack } from '../models/versions/versionStore.ts';
import { insertEvents } from '../events/eventStore.ts';
import { EventFollower } from '../events/followEvents.ts';
import { RecentEvents } from '../events/recentEvents.ts';
import { ModelCache } from './modelCache.ts';

const organizationId = 'o';
let database: TestDatabase;
let folder: string;
let models: ModelCache;
let recent: RecentEvents;
/** Blobs whose file was requested, in order; each request waits until `mayOpen` resolves. */
let asked: string[];
let mayOpen: Promise<void>;
let statements: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-cache-'));
  database = await openTestDatabase({
    migrations: [{ product: 'recommender', folder: new URL('../migrations/', import.meta.url) }],
  });
  asked = [];
  statements = [];
  mayOpen = Promise.resolve();
  const store = createFolderBlobs(join(folder, 'blobs'), systemInterfaces);
  const blobs: Blobs = {
    ...store,
    async localPath(name) {
      asked.push(name);
      await mayOpen;
      return store.localPath(name);
    },
  };
  const counting: Database = {
    ...database,
    query(sql, values) {
      statements.push(sql);
      return database.query(sql, values);
    },
  };
  recent = new RecentEvents();
  const follower = new EventFollower({ database }, recent);
  models = new ModelCache({
    recent, catchUp: () => follower.catchUp(),
    database: counting, blobs, log: createLogger('silent'), timers: systemInterfaces.timers, maxOpen: 8, trainingStatus: async () => 'unknown',
  });
  await models.start();
});
afterEach(async () => {
  await models.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Stores a model file with random content. */
async function makeFile(seed: number): Promise<string> {
  const path = join(folder, `model-${seed}`);
  await writeModel(randomModel({ ids: ['a', 'b', 'c'], types: 1, itemShare: 0.8, attributes: 2, rank: 2, seed }), path);
  return (await createFolderBlobs(join(folder, 'blobs'), systemInterfaces).putFile(path)).name;
}

/** Publishes a file as the next version of a model; creates the model if it does not exist. */
async function publish(modelId: string, blob: string): Promise<void> {
  await database.transaction(async (transaction) => {
    const jobId = randomUUID();
    await transaction.query(`INSERT INTO trainings VALUES ($1, $2, $3, '{}', null)`, [jobId, organizationId, modelId]);
    await transaction.query('INSERT INTO models VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [organizationId, modelId, jobId]);
    const { data, parameters } = { data: {}, parameters: { data_tags: [] } } as unknown as Parameters<typeof publishVersion>[2];
    await publishVersion(transaction, organizationId, { jobId, modelId, blob, parameters, metrics: null, data }, 3);
  });
}

async function answering(modelId: string): Promise<number> {
  const held = await models.hold(organizationId, modelId);
  held.release();
  return held.version;
}

/** Prevents files from being opened until the returned function is called. */
function holdOpening(): () => void {
  let open: () => void = () => {};
  mayOpen = new Promise((resolve) => { open = resolve; });
  return open;
}

it('answers with the older version while the newer is being opened, and with the newer once somebody was told of it', async () => {
  await publish('m', await makeFile(1));
  expect(await answering('m')).toBe(1);
  const open = holdOpening();
  await publish('m', await makeFile(2));
  await vi.waitUntil(() => asked.length === 2, { timeout: 120_000 });
  expect(await answering('m')).toBe(1);
  const told = models.require(organizationId, 'm', 2);
  expect(await answering('m')).toBe(1);
  open();
  await told;
  expect(await answering('m')).toBe(2);
});

it('answers with an earlier version after a rollback to it', async () => {
  await publish('m', await makeFile(1));
  await publish('m', await makeFile(2));
  expect(await answering('m')).toBe(2);
  await database.transaction((transaction) => rollBack(transaction, organizationId, 'm', undefined));
  await vi.waitUntil(async () => (await answering('m')) === 1, { timeout: 120_000 });
  await models.require(organizationId, 'm', 1);
  expect(await answering('m')).toBe(1);
});

it('has opened an announced version before it is published, and does not open it again', async () => {
  await publish('m', await makeFile(1));
  expect(await answering('m')).toBe(1);
  const [first, next] = [asked[0], await makeFile(2)];
  await announceUpcoming(database, { organizationId, modelId: 'm', blob: next });
  await vi.waitUntil(() => asked.length === 2, { timeout: 120_000 });
  expect(await answering('m')).toBe(1);
  await publish('m', next);
  await vi.waitUntil(async () => (await answering('m')) === 2, { timeout: 120_000 });
  expect(asked).toEqual([first, next]);
});

it('opens nothing for an announced version of a model that nobody asks', async () => {
  const blob = await makeFile(1);
  await announceUpcoming(database, { organizationId, modelId: 'm', blob });
  await publish('other', await makeFile(2));
  expect(await answering('other')).toBe(1);
  expect(asked).not.toContain(blob);
});

it('ends a poll however many queries come meanwhile', async () => {
  const file = await makeFile(1);
  for (const modelId of ['m', 'n']) {
    await publish(modelId, file);
    await answering(modelId);
  }
  const poll = { done: false };
  const polled = models.poll().finally(() => { poll.done = true; });
  while (!poll.done && statements.length < 100) {
    await answering('m');
    await answering('n');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await polled;
  // One statement per model, and a few caused by the publications' announcements.
  expect(statements.length).toBeLessThan(20);
});

it('a model of a process that has just started answers only when the process knows the events before its start', async () => {
  const event = { source_id: null, type: null, happened_at: null, name: null, metadata: null, media_url: null, recommendation_id: null, event_id: null, tags: [], organization_id: organizationId };
  const at = new Date();
  await insertEvents(database, [{ ...event, kind: 'interaction', target_id: 'a', source_id: 'u', happened_at: 0, available: null }, { ...event, kind: 'deletion', target_id: 'b', available: false }], at);
  await publish('m', await makeFile(1));
  expect(await answering('m')).toBe(1);
  expect([...recent.of(organizationId).hidden]).toEqual(['b']);
  expect(recent.of(organizationId).bySource.get('u')).toMatchObject([{ targetId: 'a' }]);
});
