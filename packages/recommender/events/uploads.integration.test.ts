import { rm, writeFile } from 'node:fs/promises';
import type { Logger } from '@vouch/platform/log/logger';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { batchRoutes } from '../batches/batchRoutes.ts';
import { rollBack } from '../models/versions/versionStore.ts';
import { RuleServers } from '../testing/ruleServers.ts';
import { InteractionReader } from '../uploads/interactionReader.ts';
import { followUploads } from './followUploads.ts';
import { RecentEvents } from './recentEvents.ts';
import { RecentUploads } from './recentUploads.ts';
import { largestBytes } from './uploadedFile.ts';
import { uploadsCheck } from './uploadsCheck.ts';
import { listUploads } from './uploadList.ts';

interface Lists {
  recommendations: { target_id: string; reasons: { kind: string; ids?: string[] }[] }[];
}

let servers: RuleServers;
const following: Background[] = [];
const { signal } = new AbortController();

beforeAll(async () => {
  servers = await RuleServers.start(2, (server, platform, { recent }) => {
    batchRoutes(server, platform, { upload_max_bytes: 2 ** 30, upload_max_rows: 1e6, upload_concurrency: 2 }, async () => {});
    following.push(followUploads(platform, new RecentUploads(platform, recent)));
    return null;
  });
  await servers.publish('shop');
});
afterAll(async () => {
  await Promise.all(following.map((each) => each.stop()));
  await servers.close();
});
beforeEach(async () => {
  await servers.database.query('DELETE FROM batches');
  await servers.publish('shop');
});

/** Uploads rows as a file. @returns id of the batch */
async function upload(rows: readonly string[], status = 201): Promise<string> {
  const form = new FormData();
  form.append('files', new Blob([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`]), 'rows.csv');
  const { status: answered, body } = await servers.call<{ batch_id: string }[]>('POST', 'data_batch', form);
  expect(answered, JSON.stringify(body)).toBe(status);
  return status === 201 ? (body[0]?.batch_id ?? '') : '';
}

const answer = (body: object, server: number) => servers.call<Lists>('POST', 'recommend', { model_id: 'shop', explain: true, ...body }, { server });
const listed = async (user: string, server: number): Promise<string[]> => (await answer({ entity_id: user }, server)).body.recommendations.map(({ target_id: id }) => id);
const everywhere = (check: (server: number) => Promise<void>): Promise<unknown> => Promise.all([0, 1].map((server) => vi.waitFor(() => check(server), { timeout: 120_000 })));

/** The memory of a process that has just started, after it has read all files. */
async function started(limits?: ConstructorParameters<typeof RecentUploads>[2], platform: Platform = servers.platform): Promise<{ uploads: RecentUploads; sources(): string[] }> {
  const recent = new RecentEvents();
  const uploads = new RecentUploads(platform, recent, limits);
  await uploads.look(signal);
  return { uploads, sources: () => ['a', 'b', 'c', 'd'].filter((source) => recent.of('acme').uploads.some((file) => file.has(source))) };
}

it('an id with U+FEFF at its beginning is another id than the same text without it', async () => {
  await upload(['view,\uFEFFguest,film 001,2026-03-01,']);
  await everywhere(async (server) => expect((await answer({ entity_id: '\uFEFFguest' }, server)).status).toBe(200));
  expect((await answer({ entity_id: 'guest' }, 1)).status).toBe(404);
});

it('an uploaded file counts in the lists of all servers at once: a new user gets a list, and nobody gets what they have seen', async () => {
  expect((await answer({ entity_id: 'new' }, 1)).status).toBe(404);
  const [before = ''] = await listed('user 001', 1);
  await upload(['view,new,film 001,2026-03-01,', 'view,new,film 005,2026-03-01,', `view,user 001,${before},,`]);
  await everywhere(async (server) => {
    const { status, body } = await answer({ entity_id: 'new' }, server);
    expect(status).toBe(200);
    const ids = body.recommendations.map(({ target_id: id }) => id);
    expect(ids).not.toContain('film 001');
    expect(ids).not.toContain('film 005');
    expect(body.recommendations[0]?.reasons[0]).toMatchObject({ kind: 'history', ids: expect.arrayContaining(['film 005']) as string[] });
    expect(await listed('user 001', server)).not.toContain(before);
  });
});

it('a file with a bad row is refused whole and changes no list', async () => {
  await upload(['view,bad,film 001,,', 'view,,film 001,,'], 422);
  await upload(['view,good,film 001,,']);
  await everywhere(async (server) => expect((await answer({ entity_id: 'good' }, server)).status).toBe(200));
  for (const server of [0, 1]) expect((await answer({ entity_id: 'bad' }, server)).status).toBe(404);
});

it('a deleted batch is no longer part of a history', async () => {
  const batchId = await upload(['view,gone,film 001,,']);
  await upload(['view,stays,film 001,,']);
  await everywhere(async (server) => expect((await answer({ entity_id: 'gone' }, server)).status).toBe(200));
  expect((await servers.call('DELETE', `data_batch?batch_id=${batchId}`)).status).toBe(200);
  await everywhere(async (server) => expect((await answer({ entity_id: 'gone' }, server)).status).toBe(404));
  for (const server of [0, 1]) expect((await answer({ entity_id: 'stays' }, server)).status).toBe(200);
});

exhaustiveTest('a process that starts later reads the files; after a training it does not, and after a rollback it does again', async () => {
  await upload(['view,a,film 001,,']);
  await upload(['view,b,film 001,,', 'view,c,film 002,1717158600,"{""weight"": 3}"']);
  const first = await started();
  expect(first.sources()).toEqual(['a', 'b', 'c']);
  expect((await started()).sources()).toEqual(['a', 'b', 'c']);
  await servers.publish('shop');
  await upload(['view,d,film 001,,']);
  await first.uploads.look(signal);
  expect(first.sources()).toEqual(['d']);
  expect((await started()).sources()).toEqual(['d']);
  await servers.database.transaction((transaction) => rollBack(transaction, 'acme', 'shop', undefined));
  await first.uploads.look(signal);
  expect(first.sources()).toEqual(['a', 'b', 'c', 'd']);
  // A version of an earlier release does not state which batches it contains.
  await servers.database.query('UPDATE trainings SET batches_through = NULL');
  await first.uploads.look(signal);
  expect(first.sources()).toEqual([]);
});

exhaustiveTest('files beyond the limit wait for the training, are counted and logged once, and are read when there is room', async () => {
  const rows = (source: string, count: number): string[] => Array.from({ length: count }, (_, at) => `view,${source},film ${at},,`);
  await upload(rows('a', 50));
  const newest = await upload(rows('b', 50));
  await upload(rows('c', 4_000));
  const lines: unknown[] = [];
  const log = { ...servers.platform.log, warn: (...line: unknown[]) => { lines.push(line); } } as unknown as Logger;
  const bytes = largestBytes((await listUploads(servers.database)).filter(({ rows: count }) => count === 50)[0]!);
  const { uploads, sources } = await started({ bytes: bytes * 1.1, filesPerOrganization: 10 }, { ...servers.platform, log });
  expect([sources(), uploads.waiting.length]).toEqual([['b'], 2]);
  await uploads.look(signal);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toEqual([expect.objectContaining({ organization_id: 'acme', rows: expect.any(Number) as number }), expect.stringContaining('does not count in lists before the next training')]);
  await servers.call('DELETE', `data_batch?batch_id=${newest}`);
  await uploads.look(signal);
  expect([sources(), uploads.waiting.length]).toEqual([['a'], 1]);
  expect((await started({ bytes: 1e9, filesPerOrganization: 1 })).sources()).toEqual(['c']);
});

it('a file that cannot be read waits and is tried again, while other files count', async () => {
  const broken = await upload(['view,a,film 001,,']);
  await upload(['view,b,film 001,,']);
  const { rows: [row] } = await servers.database.query<{ blob: string }>('SELECT blob FROM batches WHERE batch_id = $1', [broken]);
  const { blobs } = servers.platform;
  const garbage = `${await blobs.localPath(row!.blob)}.garbage`;
  await writeFile(garbage, 'no Parquet');
  let isBroken = true;
  const localPath = async (name: string): Promise<string> => (isBroken && name === row?.blob ? garbage : blobs.localPath(name));
  const { uploads, sources } = await started(undefined, { ...servers.platform, blobs: { ...blobs, localPath } });
  expect([sources(), uploads.waiting.length]).toEqual([['b'], 1]);
  isBroken = false;
  for (let look = 0; look < 3; look += 1) await uploads.look(signal);
  expect([sources(), uploads.waiting.length]).toEqual([['a', 'b'], 0]);
});

it('doctor names the files that wait, with the cause and the way out', async () => {
  const check = async (limits?: ConstructorParameters<typeof RecentUploads>[2]) => (await uploadsCheck(servers.platform, limits).run())[0];
  await upload(['view,a,film 001,,']);
  expect(await check()).toEqual({ status: 'ok', detail: 'every uploaded file counts in lists, or is part of the trainings' });
  const lost = await upload(['view,b,film 001,,']);
  const { rows: [row] } = await servers.database.query<{ blob: string }>('SELECT blob FROM batches WHERE batch_id = $1', [lost]);
  expect(await check({ bytes: 1e9, filesPerOrganization: 1 })).toMatchObject({ code: 'uploads-waiting', detail: expect.stringContaining('is older than the newest 1 files') as string });
  expect(await check({ bytes: 1, filesPerOrganization: 9 })).toMatchObject({ detail: expect.stringMatching(/^2 uploaded files do not .* has no room in the 0 MiB/) as string });
  await rm(await servers.platform.blobs.localPath(row!.blob));
  expect(await check()).toMatchObject({
    status: 'warning', detail: expect.stringMatching(new RegExp(`^1 uploaded file does not .*${lost} of the organization acme \\(1 rows\\) cannot be read`)) as string, remedy: expect.stringContaining('Train each model') as string,
  });
});

it('a slow store, a deletion and a training while a file is read count nothing twice, and lose nothing', async () => {
  const slow = await upload(['view,a,film 001,,']);
  await upload(['view,b,film 001,,', 'view,b,film 002,,']);
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => { open = resolve; });
  const { blobs } = servers.platform;
  const platform = { ...servers.platform, blobs: { ...blobs, localPath: async (name: string) => { await gate; return blobs.localPath(name); } } };
  const recent = new RecentEvents();
  const uploads = new RecentUploads(platform, recent);
  const looking = uploads.look(signal);
  const other = await started();
  expect(other.sources()).toEqual(['a', 'b']);
  await servers.call('DELETE', `data_batch?batch_id=${slow}`);
  open();
  await looking;
  const known = () => recent.of('acme').uploads;
  expect(known().map((file) => [file.has('a'), file.newestOf('b', 9).length])).toEqual([[false, 2]]);
  await servers.publish('shop');
  await uploads.look(signal);
  expect(known()).toEqual([]);
});

it('a reader that is killed while it reads leaves nothing half-read: the file waits, and is then read once', async () => {
  await upload(Array.from({ length: 9_000 }, (_, at) => `view,${at % 2 === 0 ? 'a' : 'b'},film ${at},,`));
  const recent = new RecentEvents();
  const uploads = new RecentUploads(servers.platform, recent);
  const { read } = InteractionReader.prototype;
  // The servers of this file read with other signals.
  const own = new AbortController().signal;
  const killed = vi.spyOn(InteractionReader.prototype, 'read').mockImplementation(async function (this: InteractionReader, request, visit, stopping) {
    return read.call(this, request, async (page) => {
      await visit(page);
      if (stopping === own) process.kill(this['child']?.pid ?? Number.NaN, 'SIGKILL');
    }, stopping);
  });
  await uploads.look(own);
  expect([recent.of('acme').uploads.length, uploads.waiting.map(({ cause }) => cause)]).toEqual([0, [expect.stringContaining('cannot be read')]]);
  killed.mockRestore();
  for (let look = 0; look < 3; look += 1) await uploads.look(signal);
  expect(recent.of('acme').uploads.map((file) => file.newestOf('a', 9_000).length)).toEqual([4_500]);
});
