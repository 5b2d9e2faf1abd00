import { createLogger } from '@vouch/platform/log/logger';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { snapshotBatches } from '../batches/batchStore.ts';
import { BatchTestServer } from '../testing/batchTestServer.ts';
import { foldEvents } from './foldEvents.ts';
import { listEvents } from './eventStore.ts';
import { EventFollower, followEvents } from './followEvents.ts';
import { RecentEvents } from './recentEvents.ts';

let at: BatchTestServer;
beforeAll(async () => { at = await BatchTestServer.start(); });
afterAll(() => at.close());
beforeEach(async () => { await at.database.query('TRUNCATE events, event_folds, hidden_entities; TRUNCATE batches RESTART IDENTITY'); });

const view = (source: string, target: string, rest: object = {}): object => ({ type: 'view', source_id: source, target_id: target, ...rest });

async function fold(organization = 'acme'): Promise<number> {
  const platform = { ...systemInterfaces, database: at.database, blobs: at.blobs, log: createLogger('silent') };
  return foldEvents(platform, organization, { scratch: at.scratch, signal: new AbortController().signal });
}

/** The rows that a training of the organization reads, in the order of arrival. */
async function readData(tags: string[] = []): Promise<Record<string, unknown>[]> {
  const batches = await snapshotBatches(at.database, 'acme', tags);
  return (await Promise.all(batches.map(({ batchId }) => at.readBack(batchId)))).flat();
}

async function answerOf(response: Promise<Response>): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await response;
  return { status: answer.status, body: await answer.json() as Record<string, unknown> };
}

describe('events', () => {
  it('are answered when they are in the database, and become a batch with exactly their values', async () => {
    const metadata = { rating: 4, note: 'quote " and\nline, comma' };
    expect(await answerOf(at.send('interactions', { interactions: [view('u,1', 'a"b', { timestamp: '2024-05-31T12:30:00Z', metadata }), view('u', 'ä', { timestamp: 5 })], tags: ['shop'] })))
      .toEqual({ status: 202, body: { accepted: 2, duplicates: 0, warnings: [{ code: 'early-timestamps', detail: expect.stringMatching(/^1 event has a timestamp in 1970, such as 1970-01-01T00:00:05.000Z\./) as string }] } });
    expect(await answerOf(at.send('entities', { entities: [{ id: 'a"b', type: 'film', name: 'A\tB' }], tags: 'shop' }))).toEqual({ status: 202, body: { accepted: 1, duplicates: 0 } });
    expect(await fold()).toBe(3);
    expect(await readData(['shop'])).toEqual([
      { row: '1', type: 'view', source_id: 'u,1', target_id: 'a"b', timestamp: '1717158600000', metadata: JSON.stringify(metadata) },
      { row: '2', type: 'view', source_id: 'u', target_id: 'ä', timestamp: '5000', metadata: null },
      { row: '1', id: 'a"b', type: 'film', name: 'A\tB', metadata: null, media_url: null },
    ]);
    expect(await readData(['other'])).toEqual([]);
    const listed = await (await at.request('GET')).json() as { interaction_count: number; entity_count: number; tags: string[] }[];
    expect(listed.map(({ interaction_count, entity_count, tags }) => [interaction_count, entity_count, tags])).toEqual([[0, 1, ['shop']], [2, 0, ['shop']]]);
  });

  it('count once: by id, by Idempotency-Key, in one request, and in concurrent requests', async () => {
    const sent = { interactions: [view('u', 'a', { id: 'e1' }), view('u', 'b', { id: 'e1' }), view('u', 'c')] };
    const reused = { code: 'reused-ids', detail: expect.stringMatching(/^1 event was not stored, because the id was received before with another source, target or type, such as "e1" of "u" and "b"\./) as string };
    expect((await answerOf(at.send('interactions', sent))).body).toEqual({ accepted: 2, duplicates: 1, warnings: [reused] });
    expect((await answerOf(at.send('interactions', { interactions: [view('u', 'a', { id: 'e1' })] }))).body).toEqual({ accepted: 0, duplicates: 1 });
    expect((await answerOf(at.send('interactions', { interactions: [view('u', 'b', { id: 'e1' })] }, { 'idempotency-key': 'k0' }))).body).toEqual({ accepted: 0, duplicates: 1, warnings: [reused] });
    const key = { 'idempotency-key': 'k1' };
    expect((await answerOf(at.send('interactions', { interactions: [view('u', 'd')] }, key))).body).toEqual({ accepted: 1, duplicates: 0 });
    expect((await answerOf(at.send('interactions', { interactions: [view('u', 'd')] }, key))).body).toEqual({ accepted: 1, duplicates: 0 });
    const many = await Promise.all(Array.from({ length: 40 }, (_, n) => answerOf(at.send('interactions', { interactions: [view('u', 'e', { id: `many ${n % 4}` })] }))));
    expect(many.reduce((sum, { body }) => sum + Number(body['accepted']), 0)).toBe(4);
    // The same id of another organization is another event.
    expect((await answerOf(at.send('interactions', sent, {}, 'other:data:write'))).body).toMatchObject({ accepted: 2, duplicates: 1 });
    await fold();
    expect((await readData()).map((row) => row['target_id'])).toEqual(['a', 'c', 'd', 'e', 'e', 'e', 'e']);
  });

  it('are stored with a warning if ids have blanks at an end or stand for a missing value', async () => {
    const detailOf = (body: Record<string, unknown>): unknown => (body['warnings'] as { code: string; detail: string }[] | undefined)?.map(({ code, detail }) => [code, detail.split('. ')[0]]);
    expect(detailOf((await answerOf(at.send('interactions', { interactions: [view('u1 ', 'a'), view('u1 ', '\tb'), view('null', 'a'), view('null1', 'a')] }))).body)).toEqual([
      ['padded-ids', '2 ids begin or end with a blank, such as "u1 "'], ['placeholder-ids', 'The events have the id "null"'],
    ]);
    expect(detailOf((await answerOf(at.send('entities', { entities: [{ id: ' undefined', type: 'film' }] }, { 'idempotency-key': 'blank' }))).body)).toEqual([
      ['padded-ids', '1 id begins or ends with a blank, such as " undefined"'], ['placeholder-ids', 'The events have the id " undefined"'],
    ]);
    expect(await fold()).toBe(5);
  });

  it('are in one batch only, if several processes fold at the same time', async () => {
    await at.send('interactions', { interactions: Array.from({ length: 50 }, (_, n) => view('u', `i${n}`)) });
    await Promise.all([fold(), fold(), fold()]);
    expect((await readData()).map((row) => row['target_id'])).toEqual(Array.from({ length: 50 }, (_, n) => `i${n}`));
    expect(await fold()).toBe(0);
  });

  it('keep their place between uploads: the latest row of an entity wins', async () => {
    const upload = (name: string) => at.upload([['files', `id,type,name,metadata,media_url\na,film,${name},,\n`, 'e.csv']]);
    const send = (name: string) => at.send('entities', { entities: [{ id: 'a', type: 'film', name }] });
    await send('1, sent');
    await upload('2 uploaded');
    await send('3, sent');
    await upload('4 uploaded');
    await fold();
    expect((await readData()).map((row) => row['name'])).toEqual(['1, sent', '2 uploaded', '3, sent', '4 uploaded']);
  });

  it('keep their order if an entity is sent with changing tags: the latest row of the entity wins', async () => {
    const send = (id: string, name: string, tags: string) => at.send('entities', { entities: [{ id, type: 'film', name }], tags });
    for (const [id, name, tags] of [['a', '1', 'x'], ['a', '2', 'y'], ['b', 'only', 'y'], ['a', '3', 'x'], ['c', 'only', 'x'], ['a', '4', 'y']] as const) await send(id, name, tags);
    await fold();
    expect((await readData()).filter((row) => row['id'] === 'a').map((row) => row['name'])).toEqual(['1', '2', '3', '4']);
    expect((await readData(['x'])).map((row) => row['id'])).toEqual(['a', 'a', 'c']);
  });

  it('that arrive during a fold wait for the next one, so that a training begins however fast events arrive', async () => {
    await at.send('interactions', { interactions: [view('u', 'first')] });
    let arrived = 0;
    const putFile = async (path: string) => {
      arrived += 1;
      if (arrived > 3) throw new Error('the fold does not end');
      await at.send('interactions', { interactions: [view('u', `during ${arrived}`)] });
      return at.blobs.putFile(path);
    };
    const platform = { ...systemInterfaces, database: at.database, blobs: { ...at.blobs, putFile }, log: createLogger('silent') };
    expect(await foldEvents(platform, 'acme', { scratch: at.scratch, signal: new AbortController().signal })).toBe(1);
    expect(await fold()).toBe(1);
  });

  it('that are in no batch yet are deleted by their tags too, and the others stay', async () => {
    const tags = ['visitors', 'visitor 7'];
    await at.send('interactions', { interactions: [view('visitor 7', 'a', { id: 'e1' }), view('visitor 7', 'b')], tags });
    await at.send('interactions', { interactions: [view('visitor 8', 'a')], tags: ['visitors', 'visitor 8'] });
    const deleted = await (await at.request('DELETE', '?tags=visitor%207,visitors')).json() as { interaction_count: number }[];
    expect(deleted.map(({ interaction_count: count }) => count)).toEqual([2]);
    await fold();
    expect((await readData()).map((row) => row['source_id'])).toEqual(['visitor 8']);
    // A repeat of a deleted event is still recognized.
    expect((await answerOf(at.send('interactions', { interactions: [view('visitor 7', 'a', { id: 'e1' })], tags }))).body).toEqual({ accepted: 0, duplicates: 1 });
    expect((await at.stored()).scratch).toEqual([]);
    expect(await (await at.request('DELETE', '?tags=nobody')).json()).toEqual([]);
  });

  it('hide and show entities from the next answer of the process on', async () => {
    const send = (available: boolean, headers: Record<string, string> = {}) => at.send('entities', { entities: [{ id: 'a', type: 'film', available }] }, headers);
    const isHidden = () => at.recent.of('acme').hidden.has('a');
    for (const headers of [{}, { 'idempotency-key': 'hide' }] as Record<string, string>[]) {
      await send(false, headers);
      expect(isHidden()).toBe(true);
      await send(true);
      expect(isHidden()).toBe(false);
    }
    // The repeated request gets the first answer and changes nothing.
    expect((await send(false, { 'idempotency-key': 'hide' })).headers.get('idempotency-replayed')).toBe('true');
    expect(isHidden()).toBe(false);
    await fetch(`${at.at.url}/v1/recommender/entities/a`, { method: 'DELETE', headers: { apikey: 'acme:data:write' } });
    expect([isHidden(), at.recent.of('other').hidden.has('a')]).toEqual([true, false]);
  });

  it('become visible in the order of their numbers, so that a reader never skips one', async () => {
    const writing = Promise.all(Array.from({ length: 60 }, (_, n) => at.send('interactions', { interactions: [view('u', `i${n}`)] }, n % 2 === 0 ? {} : { 'idempotency-key': `order-${n}` })));
    let done = false;
    void writing.then(() => { done = true; });
    const seen: number[] = [];
    for (let last = false; !last;) {
      last = done;
      for (const { sequence } of await listEvents(at.database, seen.at(-1) ?? 0, 7)) seen.push(sequence);
      last &&= (await listEvents(at.database, seen.at(-1) ?? 0, 1)).length === 0;
    }
    expect(seen.length).toBe(60);
  });
});

describe('each process', () => {
  it('has the events and the deleted entities of before and after its start, in its memory', async () => {
    await at.send('interactions', { interactions: [view('u', 'before')] });
    await at.send('entities', { entities: [{ id: 'sold out', type: 'film', available: false }, { id: 'back', type: 'film', available: false }] });
    expect((await fetch(`${at.at.url}/v1/recommender/entities/${encodeURIComponent('a/b')}`, { method: 'DELETE', headers: { apikey: 'acme:data:write' } })).status).toBe(202);
    const platform = { ...systemInterfaces, database: at.database, log: createLogger('silent') };
    const memories = [new RecentEvents(), new RecentEvents()];
    const followed = memories.map((memory) => followEvents(platform, new EventFollower(platform, memory)));
    try {
      await at.send('interactions', { interactions: [view('u', 'after')] }, { 'idempotency-key': 'after' });
      await at.send('entities', { entities: [{ id: 'back', type: 'film' }] });
      for (const memory of memories) {
        const { bySource, hidden } = memory.of('acme');
        await expect.poll(() => bySource.get('u')?.map(({ targetId }) => targetId), { timeout: 120_000 }).toEqual(['before', 'after']);
        await expect.poll(() => [...hidden].sort(), { timeout: 120_000 }).toEqual(['a/b', 'sold out']);
        expect(memory.of('other').count).toBe(0);
      }
    } finally {
      await Promise.all(followed.map((each) => each.stop()));
    }
  });
});

describe('a request with a mistake gets a sentence, and nothing of it is stored:', () => {
  const good = view('u', 'a');
  const mistakes: [what: string, route: string, body: unknown, status: number, said: RegExp][] = [
    ['the year 3000', 'interactions', { interactions: [good, view('u', 'a', { timestamp: '3000-01-01' })] }, 422, /interactions\[1\]\.timestamp is "3000-01-01", which is 3000-01-01T00:00:00.000Z and in the future/],
    ['no time', 'interactions', { interactions: [view('u', 'a', { timestamp: 'noon' })] }, 422, /timestamp is "noon"; it must be ISO 8601 or Unix time/],
    ['an id of 1,025 bytes', 'interactions', { interactions: [good, view('u', 'a'.repeat(1025))] }, 422, /interactions\[1\]\.target_id has 1025 bytes; at most 1024 are allowed/],
    ['an id of 1,026 bytes in 513 characters', 'entities', { entities: [{ id: 'ä'.repeat(513), type: 't' }] }, 422, /entities\[0\]\.id has 1026 bytes/],
    ['a blank id', 'interactions', { interactions: [view('u', ' \t')] }, 422, /target_id is blank/],
    ['1,001 events', 'interactions', { interactions: Array.from({ length: 1001 }, () => good) }, 422, /with 1001 members; it must be .*1000/],
    ['no event', 'interactions', { interactions: [] }, 422, /with 0 members/],
    ['no list', 'interactions', good, 422, /source_id is unknown/],
    ['a misspelt field', 'interactions', { interactions: [{ ...good, tpye: 'x' }] }, 422, /tpye is unknown; did you mean type\?/],
    ['no target', 'interactions', { interactions: [good, { source_id: 'u' }] }, 422, /target_id is required/],
    ['a number beyond doubles', 'interactions', '{"interactions":[{"source_id":"u","target_id":"a","metadata":{"price":1e400}}]}', 422, /metadata has a number at "price" that is too large/],
    ['NaN', 'interactions', '{"interactions":[{"source_id":"u","target_id":"a","timestamp":NaN}]}', 400, /not valid JSON/],
    ['metadata that is no object', 'interactions', { interactions: [view('u', 'a', { metadata: [1] })] }, 422, /metadata/],
    ['metadata of 65,537 bytes', 'entities', { entities: [{ id: 'a', type: 't', metadata: { m: 'x'.repeat(65_529) } }] }, 422, /metadata has 65537 bytes/],
    ['a NUL character', 'interactions', { interactions: [view('u', 'a\0')] }, 422, /NUL character/],
    ['half a character', 'interactions', { interactions: [view('u', 'a\ud800')] }, 422, /unpaired surrogate/],
    ['3 MB', 'interactions', { interactions: [view('u', 'a', { metadata: { m: 'x'.repeat(3e6) } })] }, 413, /at most 2097152/],
  ];

  it.each(mistakes)('%s', async (_what, route, body, status, said) => {
    const response = await fetch(`${at.at.url}/v1/recommender/${route}`, {
      method: 'POST', headers: { apikey: 'acme:data:write', 'content-type': 'application/json' }, body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const problem = await response.json() as { detail: string; errors?: { detail: string }[] };
    expect(response.status, problem.detail).toBe(status);
    expect([problem.detail, ...(problem.errors ?? []).map(({ detail }) => detail)].join('\n')).toMatch(said);
    expect(await listEvents(at.database, 0, 10)).toEqual([]);
  });

  it('names every fault', async () => {
    const { body } = await answerOf(at.send('interactions', { interactions: [view('u', ' '), good, view('u', 'a', { timestamp: 'x' })] }));
    expect((body['errors'] as { location: string }[]).map(({ location }) => location)).toEqual(['/interactions/0/target_id', '/interactions/2/timestamp']);
  });

  it('needs a key that may write', async () => {
    expect((await at.send('interactions', { interactions: [good] }, {}, 'acme:data:read')).status).toBe(403);
  });
});
