import { expect } from 'vitest';
import { expectStatus, type VouchClient } from '../../../bench/harness/vouchClient.ts';
import { listScratch, uploadCatalogue, waitUntil, withoutChoice } from './place.ts';
import type { ProcessMark } from './processTree.ts';
import type { VouchPlace } from './vouchSubjects.ts';

/** Enough that reading takes some tenths of a second. */
const fillingRows = 150_000;
/** Number of items that a visitor has seen. */
const seen = 5;

interface Lists {
  recommendations: { target_id: string; score: number; reasons: unknown[] }[];
}

/** Trains the model `shop`. @returns items of the model */
export async function trainShop(client: VouchClient): Promise<string[]> {
  await uploadCatalogue(client);
  expect(await client.train('shop', withoutChoice)).toMatchObject({ status: 'completed' });
  const items = (await ask(client, { max_recommendations: 50 })).recommendations.map(({ target_id: id }) => id);
  expect(items.length).toBeGreaterThan(20);
  return items;
}

/** A visitor's rows at the end of a file whose other rows are of users that no test asks for. */
export function* fileOf(visitor: string, items: readonly string[]): Generator<string> {
  yield 'type,source_id,target_id,timestamp,metadata\n';
  // A thousand rows a part, because each part is sent by itself.
  for (let row = 0; row < fillingRows; row += 1_000) {
    yield Array.from({ length: 1_000 }, (_, at) => `view,filling ${(row + at) % 5_000},${items[(row + at) % items.length]},,\n`).join('');
  }
  for (const item of items.slice(0, seen)) yield `view,${visitor},${item},,\n`;
}

/** The list of a visitor; null if the server does not know the visitor yet. */
export async function listOf(client: VouchClient, visitor: string): Promise<Lists | null> {
  const { status, body } = await client.post('/v1/recommender/recommend', { ...question, entity_id: visitor }).catch(() => ({ status: 0, body: null }));
  return status === 200 ? body as Lists : null;
}

/**
 * The list of a visitor must be the list of a session with all items of the visitor, and the file must be one batch. A row that counts twice changes no list: of several interactions
 * with an item, the one with the largest weight counts.
 */
export async function expectAttached(client: VouchClient, place: VouchPlace, visitor: string, items: readonly string[]): Promise<void> {
  await waitUntil('the file counts', async () => await listOf(client, visitor) !== null);
  const session = await ask(client, { history: items.slice(0, seen).map((id) => ({ id, type: 'view' })) });
  const ranked = (lists: Lists | null) => lists?.recommendations.map(({ target_id: id, score }) => [id, score]);
  expect(ranked(await listOf(client, visitor))).toEqual(ranked(session));
  expect(await client.batches(visitor)).toMatchObject([{ interaction_count: fillingRows + seen }]);
  await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
}

/** Whether a process reads an uploaded file for a server. */
export function isReader({ command }: ProcessMark): boolean {
  return command.startsWith(process.execPath) && command.includes('readInteractions.child');
}

const question = { model_id: 'shop', explain: true, max_recommendations: 20 };

async function ask(client: VouchClient, more: object): Promise<Lists> {
  return expectStatus(await client.post('/v1/recommender/recommend', { ...question, ...more }), 200) as Lists;
}
