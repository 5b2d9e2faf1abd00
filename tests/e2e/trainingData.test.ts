import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Client } from '../../packages/recommender/conformance/client.ts';
import { everybodyWith, things } from './harness/catalogue.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let client: Client;
const users = ['u1', 'u2', 'u3'];
const header = 'type,source_id,target_id,timestamp,metadata';

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
});

afterAll(async () => vouch.stop());

async function nameOf(model_id: string, item: string): Promise<string | null | undefined> {
  const { recommendations } = await client.relatedJson({ model_id });
  return recommendations.find(({ target_id: target }) => target === item)?.name;
}

async function targetsOf(model_id: string): Promise<string[]> {
  return [...new Set((await client.relatedRows({ model_id })).map(({ target }) => target))].sort();
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

describe('a tag of data_tags that no batch has', () => {
  exhaustiveTest('is named in the answer to the request, with the nearest tag, and stays in the record', async () => {
    const { key } = await vouch.createKey();
    const own = client.withKey(key);
    await own.upload([everybodyWith(users, ['a', 'b'])], ['films', 'views-2026']);
    const answered = await own.begin({ model_id: 'tags', data_tags: ['flims', 'views-2026', 'zzz'] });
    const [first, second, ...rest] = answered.warnings;
    expect([first?.code, second?.code, rest]).toEqual(['unmatched-tag', 'unmatched-tag', []]);
    expect(first?.detail).toBe('No batch has the tag "flims". Did you mean "films"? The training uses the batches that have the other tags.');
    expect(second?.detail).toContain('No batch has the tag "zzz". GET /v1/recommender/data_batch lists');
    const { status, warnings } = await own.untilStatus('tags');
    expect([status, warnings]).toEqual(['completed', answered.warnings]);
  });

  it('is told where no other tag matches either, and tags of other organizations are not', async () => {
    await client.upload([everybodyWith(users, ['a'])], ['secret-films']);
    const own = client.withKey((await vouch.createKey()).key);
    await own.upload([everybodyWith(users, ['a'])], ['other']);
    const { warnings } = await own.begin({ model_id: 'none', data_tags: 'secret-film' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.detail).toContain('the training fails unless one is uploaded before it starts');
    expect(warnings[0]?.detail).not.toContain('secret-films');
    expect((await own.begin({ model_id: 'other', data_tags: 'other' })).warnings).toEqual([]);
    expect((await own.begin({ model_id: 'all' })).warnings).toEqual([]);
  });
});

describe('a training without usable data ends with a sentence that says what was found:', () => {
  it('nothing uploaded at all', async () => {
    const empty = client.withKey((await vouch.createKey()).key);
    const { status, error } = await empty.trainToEnd({ model_id: 'm' });
    expect([status, error?.code]).toEqual(['error', 'no-usable-data']);
    expect(error?.detail).toContain('no batch has been uploaded');
    const asked = await empty.related({ model_id: 'm' });
    expect([asked.status, asked.json<{ code: string }>().code]).toEqual([409, 'model-not-ready']);
    expect((await empty.trending()).status).toBe(404);
  });

  it('no batch with the tag', async () => {
    const { error } = await client.trainToEnd({ model_id: 'm', data_tags: ['absent', 'missing'] });
    expect(error?.detail).toContain('"absent", "missing"');
  });

  exhaustiveTest('entities with a type of their own each', async () => {
    const rows = Array.from({ length: 1_001 }, (_, at) => `e${at},type ${at},,,`);
    await client.upload([`id,type,name,metadata,media_url\n${rows.join('\n')}\n`], ['own-types']);
    const { error, data } = await client.trainToEnd({ model_id: 'own-types', data_tags: 'own-types' });
    expect(error?.code).toBe('too-many-types');
    expect(error?.detail).toContain('1001 different types');
    expect(data?.interactions.rows).toBe(0);
  });

  exhaustiveTest('interactions of things with themselves only', async () => {
    await client.upload([everybodyWith(['a'], ['a'])], ['self']);
    const { error, data } = await client.trainToEnd({ model_id: 'm', data_tags: 'self' });
    expect(error?.code).toBe('no-usable-data');
    expect(data?.interactions).toMatchObject({ rows: 1, used: 0, ignored: { self: 1 } });
  });

  exhaustiveTest('interactions that are all too old, with the newest of their times', async () => {
    const newest = daysAgo(100);
    await client.upload([`${header}\nview,u,a,${newest},\nview,u,b,${daysAgo(200)},\n`], ['ancient']);
    const { error } = await client.trainToEnd({ model_id: 'm', data_tags: 'ancient', maximum_interaction_age_days: 30 });
    expect(error?.code).toBe('no-usable-data');
    expect(error?.detail).toContain(newest.slice(0, 10));
    expect(error?.detail).toContain('30');
  });
});

describe('data with an unintended effect', () => {
  exhaustiveTest('completes with warnings of types, ids and timestamps', async () => {
    const own = client.withKey((await vouch.createKey()).key);
    const rows = Array.from({ length: 12 }, (_, at) => [`view,u${at} ,a,2026-01-05,`, `View,null,b${at},2026-01-05,`]).flat();
    await own.upload([`${header}\n${rows.join('\n')}\n`]);
    const codes = async (body: object) => (await own.trainToEnd({ model_id: 'dirty', ...body })).warnings.map(({ code }) => code);
    expect(await codes({})).toEqual(['similar-types', 'equal-timestamps', 'padded-ids', 'placeholder-ids']);
    expect((await own.untilStatus('dirty')).data?.interactions).toMatchObject({ oldest_timestamp: '2026-01-05T00:00:00.000Z', ids: { padded: 12, placeholders: ['null'] } });
  });

  exhaustiveTest('completes with warnings of texts in metadata and names', async () => {
    const own = client.withKey((await vouch.createKey()).key);
    const rows = Array.from({ length: 20 }, (_, at) => `f${at},film,Caf\u00c3\u00a9 ${at},"{""price"":""$${at}.50"",""year"":${1990 + at}}",`);
    await own.upload([`id,type,name,metadata,media_url\n${rows.join('\n')}\n`, everybodyWith(users, ['f1', 'f2'])]);
    const { warnings, data } = await own.trainToEnd({ model_id: 'texts' });
    expect(warnings.map(({ code }) => code)).toEqual(['texts-in-metadata', 'garbled-names']);
    expect(data?.entities).toMatchObject({ texts: [{ column: 'price', form: 'number', example: '$0.50' }], garbled_names: { count: 20 } });
  });

  exhaustiveTest('completes with a warning of entities that an event or a later file has emptied', async () => {
    const own = client.withKey((await vouch.createKey()).key);
    await own.upload([`id,type,name,metadata,media_url\na,film,A,"{""year"":1999}",\nb,film,B,"{""year"":2000}",\nc,film,C,,\n`, everybodyWith(users, ['a', 'b'])]);
    expect((await own.trainToEnd({ model_id: 'emptied' })).warnings).toEqual([]);
    const { status } = await own.send('POST', '/v1/recommender/entities', { body: { entities: [{ id: 'a', type: 'film', name: 'A', available: false }, { id: 'c', type: 'film' }] } });
    expect(status).toBe(202);
    const { warnings, data } = await own.trainToEnd({ model_id: 'emptied' });
    expect(warnings).toEqual([{ code: 'emptied-entities', detail: expect.stringMatching(/^Of 3 entities, 1 no longer has metadata, and 1 no longer has a name, /) as string }]);
    expect(data?.entities).toMatchObject({ rows: 5, distinct: 3, emptied: { metadata: 1, names: 1 } });
  });

  exhaustiveTest('completes with warnings of a weight and of an age that have no effect', async () => {
    const own = client.withKey((await vouch.createKey()).key);
    await own.upload([`${header}\nview,u1,a,,\nview,u2,a,,\n`, things(['a', 'A'], ['b', 'B'])]);
    const codes = async (body: object) => (await own.trainToEnd({ model_id: 'mute', ...body })).warnings.map(({ code }) => code);
    expect(await codes({ maximum_interaction_age_days: 30 })).toEqual(['missing-timestamps']);
    expect(await codes({ parameters: { weights: { view: 0 } } })).toEqual(['no-likes']);
  });
});

describe('what a training learns from', () => {
  it('is every row within the age, and always the rows without a time', async () => {
    const rows = users.flatMap((user) =>
      [`view,${user},young,${daysAgo(3)},`, `view,${user},timeless,,`, `view,${user},aged,${daysAgo(60)},`]);
    await client.upload([`${header}\n${rows.join('\n')}\n`], ['ages']);
    const { data } = await client.train({ model_id: 'ages', data_tags: 'ages', maximum_interaction_age_days: 30 });
    expect(data?.interactions).toMatchObject({ rows: 9, used: 6, ignored: { too_old: 3 } });
    expect(await targetsOf('ages')).toEqual(['timeless', 'young']);
  });

  exhaustiveTest('is what is trending now also if a row has a timestamp in the future, with a warning', async () => {
    const own = client.withKey((await vouch.createKey()).key);
    const rows = [['old', 900], ['new', 3]].flatMap(([item, days]) => Array.from({ length: 30 }, (_, at) => `view,u${at} ${item},${item},${daysAgo(Number(days))},`));
    await own.upload([`${header}\n${rows.join('\n')}`], ['now']);
    const trend = async (): Promise<unknown[]> => {
      expect(await own.trainToEnd({ model_id: 'now' })).toMatchObject({ status: 'completed' });
      return (await own.trendingRows({ model_id: 'now' })).map(({ target, score }) => [target, score]);
    };
    const before = await trend();
    await own.upload([`${header}\nview,u0 new,new,3000-01-01T00:00:00Z,`], ['now']);
    expect(await trend()).toEqual(before);
    const { warnings, data } = await own.untilStatus('now');
    expect(warnings).toMatchObject([{ code: 'future-timestamps', detail: expect.stringMatching(/^1 pairs .* in the future, and count as of 20\d\d-.*the newest other timestamp\. Check the unit/) as string }]);
    const { newest_timestamp: newest } = data!.interactions as unknown as { newest_timestamp: string };
    expect(Date.parse(newest)).toBeLessThan(Date.now());
  });

  it('is the batches with any of the tags', async () => {
    await client.upload([everybodyWith(users, ['red-1', 'red-2'])], ['red', 'warm']);
    await client.upload([everybodyWith(users, ['blue-1', 'blue-2'])], ['blue']);
    await client.upload([everybodyWith(users, ['green-1', 'green-2'])], ['green']);
    expect((await client.train({ model_id: 'colours', data_tags: ['warm', 'blue'] })).data?.batches).toBe(2);
    expect(await targetsOf('colours')).toEqual(['blue-1', 'blue-2', 'red-1', 'red-2']);
  });

  exhaustiveTest('is the later batch where an entity repeats, and the older one again once the later is deleted', async () => {
    await client.upload([everybodyWith(users, ['x', 'y'])], ['names']);
    await client.upload([things(['x', 'First name'], ['x', 'Second name'])], ['names']);
    const [later] = await client.upload([things(['x', 'Third name'])], ['names', 'later']);
    await client.train({ model_id: 'names', data_tags: 'names' });
    expect(await nameOf('names', 'x')).toBe('Third name');
    expect((await client.deleteBatches({ batch_id: later?.batch_id ?? '' })).status).toBe(200);
    expect(await nameOf('names', 'x')).toBe('Third name');
    const { serving_version: version } = await client.train({ model_id: 'names', data_tags: 'names' });
    await client.untilAnswering('names', version);
    expect(await nameOf('names', 'x')).toBe('Second name');
  });

  it('may be entities alone: items are related by what they are, and nothing is trending', async () => {
    const entities = things(
      ['a1', 'Ant', 'small'], ['a2', 'Bee', 'small'], ['a3', 'Fly', 'small'], ['b1', 'Whale', 'large'], ['b2', 'Elephant', 'large'],
    );
    await client.upload([entities], ['entities-only']);
    const { data } = await client.train({ model_id: 'entities', data_tags: 'entities-only' });
    expect([data?.entities.distinct, data?.interactions.rows]).toEqual([5, 0]);
    const { recommendations } = await client.relatedJson({ model_id: 'entities', entity_id: 'a1', max_recommendations: 2 });
    expect(recommendations.map(({ target_id: target }) => target).sort()).toEqual(['a2', 'a3']);
    expect(recommendations[0]?.reasons[0]).toMatchObject({ kind: 'attribute', field: 'kind', value: 'small' });
    expect(await client.trendingRows({ model_id: 'entities' })).toEqual([]);
  });

  it('may be interactions alone: items without an entity row have no type and no name', async () => {
    await client.upload([everybodyWith(users, ['p', 'q']), everybodyWith(['v1', 'v2'], ['r', 's'])], ['interactions-only']);
    const { data } = await client.train({ model_id: 'interactions', data_tags: 'interactions-only' });
    expect([data?.entities.rows, data?.interactions.used]).toEqual([0, 10]);
    const { recommendations } = await client.relatedJson({ model_id: 'interactions', entity_id: 'p', max_recommendations: 1 });
    expect(recommendations[0]).toMatchObject({ target_id: 'q', type: null, name: null, media_url: null });
    expect((await client.trendingRows({ model_id: 'interactions' })).length).toBe(4);
  });

  exhaustiveTest('may be one interaction alone', async () => {
    await client.upload([everybodyWith(['only'], ['one'])], ['single']);
    expect((await client.train({ model_id: 'single', data_tags: 'single' })).status).toBe('completed');
    expect((await client.related({ model_id: 'single' })).status).toBe(200);
  });
});

it('a file with a type of its own for every row is trained, and the record counts the most frequent types alone', async () => {
  const rows = Array.from({ length: 150 }, (_, at) => `type-${at},u${at % 7},i${at % 20},,`);
  await client.upload([`${header}\n${rows.join('\n')}\n__proto__,u1,i1,,\n__proto__,u2,i1,,\n`], ['every-type']);
  const { status, data } = await client.trainToEnd({ model_id: 'every-type', data_tags: 'every-type' });
  expect(status).toBe('completed');
  expect([data?.interactions.types, data?.interactions.rows]).toEqual([151, 152]);
  const byType = Object.entries(data?.interactions.by_type ?? {});
  expect(byType.length).toBe(100);
  expect(byType).toContainEqual(['__proto__', 2]);
});
