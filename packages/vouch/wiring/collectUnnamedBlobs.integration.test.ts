import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Blobs } from '@vouch/platform/blobs/blobs';
import { sampleOf } from '@vouch/platform/testing/exhaustive';
import { testStores, type TestStore } from '@vouch/platform/testing/testStores';
import type { TestDatabase } from '@vouch/platform/testing/testDatabase';
import { openLinkSigner } from '@vouch/platform/http/linkSecret';
import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces, type Clock, type Timers } from '@vouch/platform/process/systemInterfaces';
import { sharedTestDatabase } from '@vouch/platform/testing/sharedTestDatabase';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collectUnnamedBlobs } from './collectUnnamedBlobs.ts';
import { migrationSets } from './openPlatform.ts';
import { requireOwnStore } from './storeOwnership.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A clock that advances only in `step`, which wakes all sleepers. */
class SteppedTime implements Clock, Timers {
  #now = Date.now();
  readonly #sleepers = new Set<() => void>();

  now(): number {
    return this.#now;
  }

  async sleep(_milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleepers.add(wake);
      signal?.addEventListener('abort', wake);
    });
  }

  /** Advances the clock and waits until `loops` loops have each completed one round and sleep again. */
  async step(milliseconds: number, loops: number): Promise<void> {
    this.#now += milliseconds;
    for (const wake of this.#sleepers) wake();
    await this.asleep(loops);
  }

  async asleep(loops: number): Promise<void> {
    while (this.#sleepers.size < loops) await systemInterfaces.timers.sleep(2);
  }
}

/** The parts of a server that handle blobs: its start and its collection loop. */
class Server {
  #loop: { stop(): Promise<void> } | null = null;
  readonly #platform: Parameters<typeof collectUnnamedBlobs>[0];

  constructor(database: TestDatabase, blobs: Blobs, time: SteppedTime) {
    this.#platform = { ...systemInterfaces, database, blobs, clock: time, timers: time, log: createLogger('silent') };
  }

  get loops(): number {
    return this.#loop === null ? 0 : 1;
  }

  /** Returns false if the server refuses to start. */
  async start(): Promise<boolean> {
    const refused = await requireOwnStore(this.#platform).then(() => false, (error: Error) => {
      expect(error.message).toContain('belongs to another installation');
      return true;
    });
    if (!refused) this.#loop ??= collectUnnamedBlobs(this.#platform);
    return !refused;
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
    this.#loop = null;
  }
}

function ordersOf(steps: readonly string[]): string[][] {
  if (steps.length === 0) return [[]];
  return steps.flatMap((step) => ordersOf(steps.filter((other) => other !== step)).map((rest) => [step, ...rest]));
}

/** State of the store before the steps: unmarked, or marked by an earlier release. */
const beginnings = {
  'a new store': () => null,
  'a store with the mark that all installations of earlier releases made': () => hashOf('owner of blobs '),
  'a store with the mark of its own links': (secret: string) => hashOf(`owner of blobs ${secret}`),
};
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const [upload, link, restart, another] = ['an upload', 'the first link', 'a restart', 'another database'];
const orders = ordersOf([upload, link, restart, another]);
/** The first beginning has all 24 orders. Each other beginning has 8, which differ between the two, because a case takes a second. */
const cases = Object.keys(beginnings).flatMap((beginning, at) => orders.filter((_order, index) => at === 0 || index % 3 === at)
  .map((order) => [beginning as keyof typeof beginnings, order.join(', '), order] as const));

describe.each(testStores)('in %s', (_store, openTestStore) => {
  const migrations = migrationSets.slice(1);
  const [openMine, openOther] = [sharedTestDatabase({ migrations }), sharedTestDatabase({ migrations })];
  let databases: [TestDatabase, TestDatabase];
  let store: TestStore;
  let blobs: Blobs;
  let time: SteppedTime;
  let mine: Server;
  let other: Server;
  beforeEach(async () => {
    const [opened, ...both] = await Promise.all([openTestStore(), openMine(), openOther()]);
    [store, databases] = [opened, both];
    blobs = store.open();
    time = new SteppedTime();
    mine = new Server(databases[0], store.open(), time);
    other = new Server(databases[1], store.open(), time);
  });
  afterEach(async () => {
    await mine.stop();
    await other.stop();
    await store.close();
  });

  const step = (milliseconds: number) => time.step(milliseconds, mine.loops + other.loops);
  const put = async (content: string): Promise<string> => (await blobs.putStream(Readable.from([content]))).name;
  const upload = async (content: string): Promise<string> => {
    const blob = await put(content);
    await databases[0].query(
      `INSERT INTO batches (batch_id, organization_id, kind, blob, row_count, csv_bytes, created_at)
       VALUES (gen_random_uuid(), 'a', 'entity', $1, 1, 1, now())`, [blob]);
    return blob;
  };
  const areThere = (names: readonly string[]) => Promise.all(names.map(async (name) => await blobs.stat(name) !== null));

  it.each(sampleOf(cases, 3))('%s keeps what the database names, through: %s', async (beginning, _order, order) => {
    const named: string[] = [];
    if (beginning === 'a new store') expect(await mine.start()).toBe(true);
    else {
      if (beginning === 'a store with the mark of its own links') await openLinkSigner(databases[0], systemInterfaces);
      const { rows } = await databases[0].query<{ secret: string }>('SELECT secret FROM link_secret');
      await blobs.setOwner(beginnings[beginning](rows[0]?.secret ?? '') ?? '', null);
      named.push(await upload('of the earlier release'));
    }
    const steps: Record<string, () => Promise<unknown>> = {
      'an upload': async () => named.push(await upload('a batch')),
      'the first link': () => openLinkSigner(databases[0], systemInterfaces),
      'a restart': async () => {
        await mine.stop();
        expect(await mine.start()).toBe(true);
        if (other.loops > 0) {
          await other.stop();
          await other.start();
        }
      },
      'another database': async () => {
        await other.start();
        await step(3 * hour);
        await step(10 * minute);
      },
    };
    for (const name of order) {
      await steps[name]?.();
      await step(10 * minute);
    }
    const unnamed = await put('what no row names');
    for (const later of [2 * hour, 23 * hour]) {
      await step(later);
      expect(await areThere([...named, unnamed])).toEqual([...named, unnamed].map(() => true));
    }
    for (let day = 0; day < 3; day += 1) await step(24 * hour + minute);
    expect([await areThere(named), await areThere([unnamed]), await other.start()]).toEqual([named.map(() => true), [false], false]);
  });

  it('the loop takes up what an earlier process marked, and passes over what was named since', async () => {
    await mine.start();
    const [kept, gone] = [await put('kept'), await put('gone')];
    await step(2 * hour);
    expect((await databases[0].query('SELECT FROM blob_tombstones')).rowCount).toBe(2);
    await mine.stop();
    expect(await upload('kept')).toBe(kept);
    const next = new Server(databases[0], store.open(), time);
    expect(await next.start()).toBe(true);
    await time.step(0, 1);
    expect((await databases[0].query('SELECT FROM blob_tombstones')).rowCount).toBe(1);
    await time.step(25 * hour, 1);
    expect(await areThere([kept, gone])).toEqual([true, false]);
    await next.stop();
  });

  it('what fails once does not end the loop', async () => {
    await mine.start();
    const gone = await put('gone');
    await databases[0].query('ALTER TABLE batches RENAME TO elsewhere');
    await step(2 * hour);
    await step(25 * hour);
    await databases[0].query('ALTER TABLE elsewhere RENAME TO batches');
    await step(10 * minute);
    expect(await areThere([gone])).toEqual([true]);
    await step(25 * hour);
    expect(await areThere([gone])).toEqual([false]);
  });
});
