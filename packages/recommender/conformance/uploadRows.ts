import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { type Batch, type Client } from './client.ts';
import { row, smallEntities, smallInteractions } from './fixture.ts';
import { entityHeader, interactionHeader } from './sampleData.ts';

const resource = 'Resources / Data batch';
const section = 'Endpoints / POST data_batch';
const path = '/v1/recommender/data_batch';

async function uploadForm(client: Client, fields: readonly (readonly [string, string])[]): Promise<Batch> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append('files', new Blob([smallEntities('form-1')]), 'small.csv');
  const [batch] = expectStatus(await client.send('POST', path, { form }), 201).json<Batch[]>();
  assert.ok(batch !== undefined, 'the answer has no record');
  await client.deleteBatches({ batch_id: batch.batch_id });
  return batch;
}

/** The record of a batch, and its upload. */
export const uploadRows: readonly ConformanceRow[] = [
  row(resource, 'the record is batch_id, timestamp, tags, entity_count and interaction_count', async (fixture) => {
    const names = ['batch_id', 'entity_count', 'interaction_count', 'tags', 'timestamp'];
    assert.deepEqual(Object.keys(fixture.entities).sort(), names);
    assert.deepEqual(Object.keys(fixture.interactions).sort(), names);
  }),
  row(resource, 'batch_id is text that the upload assigns, another for each batch', async ({ entities, interactions }) => {
    assert.ok(typeof entities.batch_id === 'string' && entities.batch_id !== '');
    assert.notEqual(entities.batch_id, interactions.batch_id);
  }),
  row(resource, 'timestamp is a date and time in ISO 8601', async ({ entities }) => {
    assert.match(entities.timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
    assert.ok(!Number.isNaN(Date.parse(entities.timestamp)), 'the timestamp is no time');
  }),
  row(resource, 'tags is a list of text: the labels of the upload', async ({ entities }) => {
    assert.deepEqual(entities.tags, ['films', 'catalogue']);
  }),
  row(resource, 'entity_count is the whole number of entity rows', async ({ client }) => {
    const [batch] = await client.upload([smallEntities('count-1', 'count-2', 'count-2')], ['count']);
    await client.deleteBatches({ tags: 'count' });
    assert.deepEqual([batch?.entity_count, batch?.interaction_count], [3, 0]);
  }),
  row(resource, 'interaction_count is the whole number of interaction rows', async ({ client }) => {
    const [batch] = await client.upload([smallInteractions(['u', 'a'], ['u', 'b'])], ['count']);
    await client.deleteBatches({ tags: 'count' });
    assert.deepEqual([batch?.entity_count, batch?.interaction_count], [0, 2]);
  }),
  row(resource, 'a file must be CSV', async ({ client }) => {
    for (const content of ['{"id": 1}', '%PDF-1.7\n%\u0001', '']) expectStatus(await client.tryUpload([content]), 422);
  }),
  row(resource, 'a file must have the column names of the entity or of the interaction table', async ({ client }) => {
    expectStatus(await client.tryUpload(['name,price\na,1\n']), 422);
    for (const header of [entityHeader, interactionHeader]) {
      for (const column of header.split(',')) {
        const without = header.split(',').filter((name) => name !== column);
        expectStatus(await client.tryUpload([`${without.join(',')}\n${without.map(() => 'x').join(',')}\n`]), 422);
      }
    }
  }),
  row(section, 'POST /v1/recommender/data_batch uploads a batch', async ({ client, entities }) => {
    const listed = expectStatus(await client.batches({ batch_id: entities.batch_id }), 200).json<Batch[]>();
    assert.deepEqual(listed, [entities]);
  }),
  row(section, 'tags may be left out', async ({ client }) => {
    assert.deepEqual((await uploadForm(client, [])).tags, []);
  }),
  row(section, 'tags is text or a list of texts', async ({ client }) => {
    assert.deepEqual((await uploadForm(client, [['tags', 'one']])).tags, ['one']);
    assert.deepEqual((await uploadForm(client, [['tags', 'one'], ['tags', 'two']])).tags, ['one', 'two']);
    assert.deepEqual((await uploadForm(client, [['tags', '["one","two"]']])).tags, ['one', 'two']);
  }),
  row(section, 'files is required', async ({ client }) => {
    const form = new FormData();
    form.append('tags', 'no-file');
    const reply = expectStatus(await client.send('POST', path, { form }), 422);
    assert.equal(reply.json<{ code: string }>().code, 'no-files');
    assert.deepEqual((await client.batches({ tags: 'no-file' })).json(), []);
  }),
  row(section, 'files holds entity data or interaction data', async ({ entities, interactions }) => {
    assert.ok(entities.entity_count > 0 && entities.interaction_count === 0);
    assert.ok(interactions.interaction_count > 0 && interactions.entity_count === 0);
  }),
  row(section, 'several batches are uploaded by repeated calls', async ({ client }) => {
    for (const id of ['first', 'second']) await client.upload([smallEntities(id)], ['repeated']);
    const deleted = expectStatus(await client.deleteBatches({ tags: 'repeated' }), 200).json<Batch[]>();
    assert.equal(deleted.length, 2, 'two calls should have made two batches');
  }),
  row(section, 'answers a list of records', async ({ client }) => {
    const reply = expectStatus(await client.tryUpload([smallEntities('list-1'), smallInteractions(['u', 'a'])], ['list']), 201);
    await client.deleteBatches({ tags: 'list' });
    const counts = reply.json<Batch[]>().map((batch) => [batch.entity_count, batch.interaction_count]);
    assert.deepEqual(counts, [[1, 0], [0, 1]]);
  }),
  row(section, 'the labels serve to query, delete and group a batch later', async ({ client }) => {
    await client.upload([smallEntities('label-1')], ['label']);
    assert.equal((await client.batches({ tags: 'label' })).json<Batch[]>().length, 1);
    const training = await client.trainToEnd({ model_id: 'label', data_tags: 'label' });
    assert.equal(training.data?.batches, 1, 'the training should read the one batch with the label');
    assert.equal((await client.deleteBatches({ tags: 'label' })).json<Batch[]>().length, 1);
    assert.deepEqual((await client.batches({ tags: 'label' })).json(), []);
  }),
  row(section, 'a body that names another field is refused', async ({ client }) => {
    const form = new FormData();
    form.append('file', 'x');
    form.append('files', new Blob([smallEntities('x')]), 'x.csv');
    expectRefused(await client.send('POST', path, { form }), '/file');
  }),
];
