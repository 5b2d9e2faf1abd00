import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { type Batch, type Client } from './client.ts';
import { row, smallEntities } from './fixture.ts';

const listing = 'Endpoints / GET data_batch';
const deleting = 'Endpoints / DELETE data_batch';

async function idsOf(client: Client, query: Record<string, string | readonly string[]>): Promise<string[]> {
  const records = expectStatus(await client.batches(query), 200).json<Batch[]>();
  return records.map(({ batch_id: id }) => id).sort();
}

/** Three batches: one with both labels, one with each. */
async function uploadThree(client: Client): Promise<{ both: string; red: string; blue: string }> {
  const ids: string[] = [];
  for (const tags of [['red', 'blue'], ['red'], ['blue']]) {
    const [batch] = await client.upload([smallEntities('colour')], tags);
    ids.push(batch?.batch_id ?? '');
  }
  const [both = '', red = '', blue = ''] = ids;
  return { both, red, blue };
}

async function removeThree(client: Client): Promise<void> {
  await client.deleteBatches({ tags: 'red' });
  await client.deleteBatches({ tags: 'blue' });
}

/** Listing and deleting batches. */
export const batchRows: readonly ConformanceRow[] = [
  row(listing, 'GET /v1/recommender/data_batch answers the records of batches', async ({ client, entities, interactions }) => {
    const records = expectStatus(await client.batches({ tags: 'films' }), 200).json<Batch[]>();
    assert.deepEqual(records, [interactions, entities]);
  }),
  row(listing, 'both parameters may be left out: every batch', async ({ client, entities, interactions }) => {
    const ids = await idsOf(client, {});
    assert.ok(ids.includes(entities.batch_id) && ids.includes(interactions.batch_id), 'a batch is missing from the list of all');
  }),
  row(listing, 'batch_id is the id that the upload returned', async ({ client, entities }) => {
    assert.deepEqual(await idsOf(client, { batch_id: entities.batch_id }), [entities.batch_id]);
    expectStatus(await client.batches({ batch_id: 'no-such-batch' }), 404);
  }),
  row(listing, 'tags is text or a list of texts; a batch must match all of them', async ({ client }) => {
    const { both, red, blue } = await uploadThree(client);
    try {
      assert.deepEqual(await idsOf(client, { tags: 'red' }), [both, red].sort());
      assert.deepEqual(await idsOf(client, { tags: 'blue' }), [both, blue].sort());
      for (const tags of [['red', 'blue'], 'red,blue', '["blue","red"]']) assert.deepEqual(await idsOf(client, { tags }), [both]);
      assert.deepEqual(await idsOf(client, { tags: ['red', 'green'] }), []);
    } finally {
      await removeThree(client);
    }
  }),
  row(listing, 'answers metadata only, never the data', async ({ client, entities }) => {
    const { text } = await client.batches({ batch_id: entities.batch_id });
    assert.ok(!text.includes('scifi'), 'the answer holds an id of the data');
    assert.deepEqual(Object.keys((JSON.parse(text) as object[])[0] ?? {}).length, 5);
  }),
  row(deleting, 'DELETE /v1/recommender/data_batch deletes the batch with this batch_id and no other', async ({ client }) => {
    const { both, red, blue } = await uploadThree(client);
    try {
      const deleted = expectStatus(await client.deleteBatches({ batch_id: red }), 200).json<Batch[]>();
      assert.deepEqual(deleted.map(({ batch_id: id }) => id), [red]);
      expectStatus(await client.batches({ batch_id: red }), 404);
      assert.deepEqual(await idsOf(client, { tags: 'red' }), [both]);
      assert.deepEqual(await idsOf(client, { tags: 'blue' }), [both, blue].sort());
    } finally {
      await removeThree(client);
    }
  }),
  row(deleting, 'with tags (text or a list) every batch that matches all of them is deleted', async ({ client }) => {
    const { both, red, blue } = await uploadThree(client);
    try {
      const deleted = expectStatus(await client.deleteBatches({ tags: ['red', 'blue'] }), 200).json<Batch[]>();
      assert.deepEqual(deleted.map(({ batch_id: id }) => id), [both]);
      assert.deepEqual(await idsOf(client, { tags: 'red' }), [red]);
      await client.deleteBatches({ tags: 'blue' });
      await assert.rejects(idsOf(client, { batch_id: blue }), /404/);
    } finally {
      await removeThree(client);
    }
  }),
  row(
    deleting,
    'each parameter may be left out; without both nothing is deleted and the answer says what to do',
    async ({ client, entities }) => {
      const reply = expectStatus(await client.deleteBatches(), 400);
      assert.equal(reply.json<{ code: string }>().code, 'missing-filter');
      assert.deepEqual(await idsOf(client, { batch_id: entities.batch_id }), [entities.batch_id]);
    },
  ),
];
