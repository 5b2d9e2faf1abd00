import { afterAll, beforeAll, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import type { Client, Training } from '../../packages/recommender/conformance/client.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

let vouch: RunningVouch;
let client: Client;

/** Users of two tastes, and one user of both who dislikes an item and returned a purchase. */
const rows = [
  ...Array.from({ length: 12 }, (_, user) => Array.from({ length: 8 }, (_, item) => (item === user % 8 ? '' : `view,u${user},${user % 2 === 0 ? 'red' : 'blue'}-${item},,`))).flat(),
  'view,both,red-0,,', 'view,both,blue-0,,', 'dislike,both,red-1,,', 'purchase,both,blue-1,2026-01-01,', 'return,both,blue-1,2026-01-02,',
].filter((row) => row !== '');

beforeAll(async () => {
  vouch = await startVouch();
  ({ client } = vouch);
  await client.upload([`type,source_id,target_id,timestamp,metadata\n${rows.join('\n')}\n`], []);
});

afterAll(() => vouch.stop());

it('does not recommend what a user disliked or returned, and says in the record what each type counted', async () => {
  const record = await client.train({ model_id: 'm', parameters: { weights: { purchase: 5, dislik: -2 } } });
  expect(record.status).toBe('completed');
  const { data, warnings, parameters } = record as Training & { data: unknown; warnings: unknown; parameters: unknown };
  expect(data).toMatchObject({ interactions: { used: 86, disliked: 2, weight_by_type: { view: 1, purchase: 5, dislike: -1, return: -1 } } });
  expect(parameters).toMatchObject({ weights: { purchase: 5, dislik: -2 } });
  expect(warnings).toEqual([{ code: 'unknown-type', detail: 'No interaction has the type "dislik" of weights. Did you mean "dislike"?' }]);
  const listed = (await client.relatedRows({ model_id: 'm', entity_id: 'both' })).map(({ target }) => target);
  expect(listed.length).toBeGreaterThan(1);
  expect(listed).not.toContain('red-1');
  expect(listed).not.toContain('blue-1');
});

it.each([
  ['a weight beyond the limit', { purchase: 1e9 }, /parameters.weights.purchase is 1000000000; it must be a number from -100 to 100/],
  ['text', { purchase: 'much' }, /must be a number from -100 to 100/],
  ['a list', [5], /must be an object with at most 1,000 types/],
])('refuses %s with a sentence', async (_, weights, sentence) => {
  const answer = await fetch(`${vouch.url}/v1/recommender/train`, {
    method: 'POST', headers: { apikey: vouch.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model_id: 'refused', parameters: { weights } }),
  });
  const problem = await answer.text();
  expect([answer.status, problem]).toEqual([422, expect.stringMatching(sentence)]);
});

exhaustiveTest('ranks the items of newer interactions and of recent demand first, as the half-lives in the request say', async () => {
  const day = (age: number): string => new Date(Date.UTC(2026, 0, 1) - age * 86_400_000).toISOString();
  const own = client.withKey((await vouch.createKey()).key);
  // The reader chose three red items a year ago and one blue item now; blue is in demand now, red was in the last year.
  const aged = rows.filter((row) => row.startsWith('view,u')).map((row) => row.replace(/,,$/, `,${day(row.includes('blue') ? 1 : 60)},`));
  const reader = [...[0, 1, 2].map((item) => `view,reader,red-${item},${day(365)},`), `view,reader,blue-0,${day(0)},`];
  const extra = Array.from({ length: 8 }, (_, user) => `view,u${2 * user},red-${user},${day(60)},`);
  await own.upload([`type,source_id,target_id,timestamp,metadata\n${[...aged, ...reader, ...extra].join('\n')}\n`], []);
  const first = async (parameters: object): Promise<string[]> => {
    const record = await own.train({ model_id: 'aged', parameters: { setting: 'default', ...parameters } });
    expect((record as Training & { parameters: unknown }).parameters).toMatchObject(parameters);
    return [(await own.relatedRows({ model_id: 'aged', entity_id: 'reader' }))[0]?.target ?? '', (await own.trendingRows({ model_id: 'aged' }))[0]?.target ?? ''];
  };
  expect(await first({})).toEqual([expect.stringMatching(/^red/), expect.any(String)]);
  expect(await first({ recency_half_life_days: 7, trending_half_life_days: 2 })).toEqual([expect.stringMatching(/^blue/), expect.stringMatching(/^blue/)]);
});

exhaustiveTest('trains the same model from the same weights, and says that nothing is a like if all weights are negative', async () => {
  await client.train({ model_id: 'twice', parameters: { weights: { view: 2, purchase: 5 } } });
  const first = (await client.related({ model_id: 'twice' })).text;
  await client.train({ model_id: 'twice', parameters: { weights: { view: 2, purchase: 5 } } });
  expect((await client.related({ model_id: 'twice' })).text).toBe(first);
  const record = await client.trainToEnd({ model_id: 'never', parameters: { weights: { view: -1, purchase: 0 } } });
  expect([record.status, record.error?.detail]).toEqual(['error', expect.stringMatching(/None of the .* counts as a like/)]);
});
