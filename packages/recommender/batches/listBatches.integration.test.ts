import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchRecord } from './batch.schema.ts';
import { insertBatches, snapshotBatches } from './batchStore.ts';
import { BatchTestServer } from '../testing/batchTestServer.ts';

let at: BatchTestServer;
beforeAll(async () => { at = await BatchTestServer.start(); });
afterAll(async () => { await at.close(); });

let made = 0;

/** Records a batch without a file; the answers of the tested routes do not depend on the blob. */
async function record(organization: string, tags: string[]): Promise<BatchRecord> {
  made += 1;
  const batch = {
    batchId: `00000000-0000-4000-8000-${String(made).padStart(12, '0')}`,
    kind: made % 2 === 0 ? 'entity' as const : 'interaction' as const, blob: `sha256-${made}`, rows: made, csvBytes: 10,
  };
  const [stored] = await at.database.transaction((transaction) =>
    insertBatches(transaction, organization, { batches: [batch], tags, at: new Date(1_700_000_000_000 + made) }));
  if (stored === undefined) throw new Error('nothing was inserted');
  return stored;
}

/** A key of an organization that no other test uses. */
function keyOf(organization: string): string {
  return `${organization}:data:read,data:write`;
}

async function list(organization: string, query = ''): Promise<BatchRecord[]> {
  const answer = await at.request('GET', query, {}, keyOf(organization));
  expect(answer.status).toBe(200);
  return await answer.json() as BatchRecord[];
}

async function problemOf(answer: Response): Promise<unknown> {
  const { status, code } = await answer.json() as { status: number; code: string };
  return [status, code];
}

describe('a list of batches', () => {
  it('has the newest first, and of tags all must match', async () => {
    const first = await record('list', ['a']);
    const second = await record('list', ['a', 'b']);
    const third = await record('list', []);
    expect(await list('list')).toEqual([third, second, first]);
    expect(await list('list', '?tags=a')).toEqual([second, first]);
    expect(await list('list', '?tags=b&tags=a')).toEqual([second]);
    expect(await list('list', '?tags[]=a,b')).toEqual([second]);
    expect(await list('list', '?tags=A')).toEqual([]);
    expect(await list('list', `?batch_id=${first.batch_id}`)).toEqual([first]);
    expect(await list('list', `?batch_id=${first.batch_id}&tags=b`)).toEqual([]);
  });

  it('comes in pages that the Link header continues, whatever is added meanwhile', async () => {
    const records = [];
    for (let index = 0; index < 5; index++) records.unshift(await record('pages', ['p']));
    const seen: BatchRecord[] = [];
    let query = '?tags=p&limit=2';
    for (let page = 0; page < 3; page++) {
      const answer = await at.request('GET', query, {}, keyOf('pages'));
      seen.push(...await answer.json() as BatchRecord[]);
      const link = answer.headers.get('link');
      expect(link === null).toBe(page === 2);
      query = /^<http:\/\/vouch\.test\/v1\/recommender\/data_batch(.*)>; rel="next"$/.exec(link ?? '')?.[1] ?? '';
      await record('pages', ['p']);
    }
    expect(seen).toEqual(records);
  });

  it('has every batch where no limit is asked for, however many there are', async () => {
    const batches = Array.from({ length: 2_501 }, (_, index) => ({
      batchId: `00000000-0000-4000-9000-${String(index).padStart(12, '0')}`, kind: 'entity' as const, blob: `sha256-all-${index}`, rows: 1, csvBytes: 1,
    }));
    const stored = await at.database.transaction((transaction) =>
      insertBatches(transaction, 'all', { batches, tags: ['all'], at: new Date(1_700_000_000_000) }));
    const answer = await at.request('GET', '', {}, keyOf('all'));
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('link')]).toEqual([200, 'application/json; charset=utf-8', null]);
    expect(await answer.json()).toEqual(stored.toReversed());
    // A page with a limit is continued to the end.
    const page = await at.request('GET', '?tags=all&limit=1000', {}, keyOf('all'));
    const { searchParams } = new URL(/<(.*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '');
    searchParams.delete('limit');
    const rest = await list('all', `?${searchParams}`);
    expect([...(await page.json() as BatchRecord[]), ...rest]).toEqual(stored.toReversed());
  });

  it.each([
    ['?batch_id=unknown', 404, 'unknown-batch'],
    ['?batch_id=00000000-0000-4000-8000-999999999999', 404, 'unknown-batch'],
    ['?limit=0', 422, 'invalid-parameter'],
    ['?limit=1001', 422, 'invalid-parameter'],
    ['?cursor=made-up', 422, 'invalid-parameter'],
    [`?cursor=${Buffer.from('17').toString('base64url')}`, 422, 'invalid-parameter'],
    ['?tag=a', 422, 'unknown-parameter'],
    ['?tags=a%00b', 422, 'invalid-parameter'],
  ])('is refused for %s', async (query, status, code) => {
    expect(await problemOf(await at.request('GET', query))).toEqual([status, code]);
  });

  it('needs the scope data:read', async () => {
    expect(await problemOf(await at.request('GET', '', {}, 'acme:data:write'))).toEqual([403, 'missing-scope']);
  });
});

describe('a deletion', () => {
  it('by tags takes what has all of them, answers the records, and leaves the rest', async () => {
    const first = await record('delete', ['a', 'b']);
    const second = await record('delete', ['a']);
    const third = await record('delete', ['b', 'a', 'c']);
    const answer = await at.request('DELETE', '?tags=a,b', {}, keyOf('delete'));
    expect([answer.status, await answer.json()]).toEqual([200, [third, first]]);
    expect(await list('delete')).toEqual([second]);
  });

  it('by id and tags needs both to hold', async () => {
    const kept = await record('both', ['a']);
    const answer = await at.request('DELETE', `?batch_id=${kept.batch_id}&tags=b`, {}, keyOf('both'));
    expect([answer.status, await answer.json()]).toEqual([200, []]);
    const gone = await at.request('DELETE', `?batch_id=${kept.batch_id}&tags=a`, {}, keyOf('both'));
    expect(await gone.json()).toEqual([kept]);
    expect(await problemOf(await at.request('DELETE', `?batch_id=${kept.batch_id}`, {}, keyOf('both')))).toEqual([404, 'unknown-batch']);
  });

  it.each(['', '?tags=', '?tags=,%20,'])('of everything by omission is refused: "%s"', async (query) => {
    const kept = await record('omission', ['a']);
    expect(await problemOf(await at.request('DELETE', query, {}, keyOf('omission')))).toEqual([400, 'missing-filter']);
    expect(await list('omission')).toContainEqual(kept);
  });

  it('never reaches the batches of another organization, whose ids look unknown', async () => {
    const foreign = await record('owner', ['a']);
    for (const method of ['GET', 'DELETE']) {
      const answer = await at.request(method, `?batch_id=${foreign.batch_id}`, {}, keyOf('stranger'));
      expect(await problemOf(answer)).toEqual([404, 'unknown-batch']);
    }
    expect(await (await at.request('DELETE', '?tags=a', {}, keyOf('stranger'))).json()).toEqual([]);
    expect(await list('owner')).toEqual([foreign]);
  });
});

describe('the snapshot of a training', () => {
  it('has the batches with any of the tags, or all, in upload order', async () => {
    const ids = [];
    for (const tags of [['a'], ['b'], ['c'], []]) ids.push((await record('snapshot', tags)).batch_id);
    await record('other', ['a']);
    const snapshot = async (tags: string[]) => (await snapshotBatches(at.database, 'snapshot', tags)).map((batch) => batch.batchId);
    expect(await snapshot(['c', 'a', 'none'])).toEqual([ids[0], ids[2]]);
    expect(await snapshot([])).toEqual(ids);
    const [first, second] = await snapshotBatches(at.database, 'snapshot', []);
    expect((first?.sequence ?? 0) < (second?.sequence ?? 0)).toBe(true);
  });
});
