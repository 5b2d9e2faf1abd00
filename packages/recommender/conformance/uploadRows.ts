import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { type Batch, type Client } from './client.ts';
import { row, smallEntities, smallInteractions, type Fixture } from './fixture.ts';
import { entityHeader, interactionHeader } from './sampleData.ts';

const path = '/v1/recommender/data_batch';

async function uploadForm(client: Client, fields: readonly (readonly [string, string])[]): Promise<Batch> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  form.append('files', new Blob([smallEntities('form-1')]), 'small.csv');
  return only(expectStatus(await client.send('POST', path, { form }), 201).json<Batch[]>());
}

async function uploadOne({ client, name }: Fixture, csv: string): Promise<Batch> {
  return only(await client.upload([csv], [name('one')]));
}

function only(records: readonly Batch[]): Batch {
  assert.equal(records.length, 1, 'one file should be answered with one record');
  return records[0]!;
}

/** Conformance rows of uploads and their batch records. */
export const uploadRows: readonly ConformanceRow[] = [
  row('B1', 'the record of an upload has these five fields and no others', async (fixture) => {
    const names = ['batch_id', 'entity_count', 'interaction_count', 'tags', 'timestamp'];
    assert.deepEqual(Object.keys(await uploadOne(fixture, smallEntities('a'))).sort(), names);
    assert.deepEqual(Object.keys(await uploadOne(fixture, smallInteractions(['u', 'a']))).sort(), names);
  }),
  row('B2', 'two uploads of one file get two different ids, both strings', async (fixture) => {
    const ids = [await uploadOne(fixture, smallEntities('a')), await uploadOne(fixture, smallEntities('a'))].map(({ batch_id: id }) => id);
    for (const id of ids) assert.ok(typeof id === 'string' && id !== '', 'the id should be a string');
    assert.notEqual(ids[0], ids[1]);
  }),
  row('B3', 'the timestamp of an upload is ISO 8601 in UTC', async (fixture) => {
    const { timestamp } = await uploadOne(fixture, smallEntities('a'));
    assert.match(timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
    assert.ok(!Number.isNaN(Date.parse(timestamp)), 'the timestamp is no time');
  }),
  row('B4', 'the record has the tags of the upload in the same order', async ({ client, name }) => {
    const tags = [name('z'), name('a')];
    assert.deepEqual(only(await client.upload([smallEntities('a')], tags)).tags, tags);
  }),
  row('B5', 'for three rows of entities, two of them with the same id, the count is 3', async (fixture) => {
    const { entity_count: entities, interaction_count: interactions } = await uploadOne(fixture, smallEntities('count-1', 'count-2', 'count-2'));
    assert.deepEqual([entities, interactions], [3, 0]);
  }),
  row('B6', 'for two rows of interactions, the count is 2', async (fixture) => {
    const { entity_count: entities, interaction_count: interactions } = await uploadOne(fixture, smallInteractions(['u', 'a'], ['u', 'b']));
    assert.deepEqual([entities, interactions], [0, 2]);
  }),
  row('B7', 'JSON, a PDF and an empty file are rejected', async ({ client }) => {
    for (const content of ['{"id": 1}', '%PDF-1.7\n%\u0001', '']) expectStatus(await client.tryUpload([content]), 422);
  }),
  row('B8', 'a file that lacks a required column is rejected, for each column', async ({ client }) => {
    expectStatus(await client.tryUpload(['name,price\na,1\n']), 422);
    for (const header of [entityHeader, interactionHeader]) {
      for (const column of header.split(',')) {
        const without = header.split(',').filter((name) => name !== column);
        expectStatus(await client.tryUpload([`${without.join(',')}\n${without.map(() => 'x').join(',')}\n`]), 422);
      }
    }
  }),
  row('B9', 'the list has the uploaded batch with the same record as the answer of the upload', async (fixture) => {
    const batch = await uploadOne(fixture, smallEntities('a'));
    assert.deepEqual(expectStatus(await fixture.client.batches({ batch_id: batch.batch_id }), 200).json(), [batch]);
  }),
  row('B10', 'an upload without tags is accepted, and its record has an empty list', async ({ client }) => {
    assert.deepEqual((await uploadForm(client, [])).tags, []);
  }),
  row('B11', 'one tag, two fields of tags and a JSON array of two tags are accepted', async ({ client, name }) => {
    const [one, two] = [name('one'), name('two')];
    assert.deepEqual((await uploadForm(client, [['tags', one]])).tags, [one]);
    assert.deepEqual((await uploadForm(client, [['tags', one], ['tags', two]])).tags, [one, two]);
    assert.deepEqual((await uploadForm(client, [['tags', JSON.stringify([one, two])]])).tags, [one, two]);
  }),
  row('B12', 'a form without a file is rejected, and nothing is stored', async ({ client, name }) => {
    const tag = name('no-file');
    const form = new FormData();
    form.append('tags', tag);
    const reply = expectStatus(await client.send('POST', path, { form }), 422);
    assert.equal(reply.json<{ code: string }>().code, 'no-files');
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), []);
  }),
  row('B12', 'a form with a differently named file field is rejected with that name', async ({ client }) => {
    const form = new FormData();
    form.append('file', 'x');
    form.append('files', new Blob([smallEntities('x')]), 'x.csv');
    expectRefused(await client.send('POST', path, { form }), '/file');
  }),
  row('B13', 'the header decides whether a file contains entities or interactions', async (fixture) => {
    const entities = await uploadOne(fixture, smallEntities('a'));
    const interactions = await uploadOne(fixture, smallInteractions(['u', 'a']));
    assert.deepEqual([entities.entity_count, entities.interaction_count], [1, 0]);
    assert.deepEqual([interactions.entity_count, interactions.interaction_count], [0, 1]);
  }),
  row('B14', 'two calls with the same tag create two batches', async ({ client, name }) => {
    const tag = name('repeated');
    const ids: string[] = [];
    for (const id of ['first', 'second']) ids.push(only(await client.upload([smallEntities(id)], [tag])).batch_id);
    const found = expectStatus(await client.batches({ tags: tag }), 200).json<Batch[]>();
    assert.deepEqual(found.map(({ batch_id: id }) => id).sort(), ids.sort());
  }),
  row('B15', 'an upload of two files returns two records in the order of the files', async ({ client, name }) => {
    const reply = expectStatus(await client.tryUpload([smallEntities('list-1'), smallInteractions(['u', 'a'])], [name('list')]), 201);
    const counts = reply.json<Batch[]>().map((batch) => [batch.entity_count, batch.interaction_count]);
    assert.deepEqual(counts, [[1, 0], [0, 1]]);
  }),
  row('B16', 'a query with the tag of an upload returns only that batch', async ({ client, name }) => {
    const tag = name('label');
    const batch = only(await client.upload([smallEntities('label-1')], [tag]));
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), [batch]);
  }),
  row('B17', 'a DELETE with the tag of an upload removes that batch', async ({ client, name }) => {
    const tag = name('label');
    const batch = only(await client.upload([smallEntities('label-1')], [tag]));
    assert.deepEqual(expectStatus(await client.deleteBatches({ tags: tag }), 200).json(), [batch]);
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), []);
    expectStatus(await client.batches({ batch_id: batch.batch_id }), 404);
  }),
  row('B18', 'a training with the tag of an upload uses only that batch', async ({ client, name }) => {
    const tag = name('label');
    await client.upload([smallEntities('label-1', 'label-2')], [tag]);
    const { data } = await client.trainToEnd({ model_id: name('label'), data_tags: tag });
    assert.deepEqual([data?.batches, data?.entities.distinct], [1, 2]);
  }),
  row('B19', 'a second upload with the tag replaces rows with the same ids; a training then uses the new name', async ({ client, name }) => {
    const [tag, modelId] = [name('update'), name('update')];
    const named = (text: string): string => `${entityHeader}\na,thing,${text},"{""k"":""v""}",\nb,thing,Other,"{""k"":""v""}",\n`;
    await client.upload([named('Old name')], [tag]);
    await client.upload([named('New name')], [tag]);
    const { data } = await client.train({ model_id: modelId, data_tags: tag });
    assert.deepEqual([data?.entities.rows, data?.entities.distinct], [4, 2]);
    const { recommendations } = await client.relatedJson({ model_id: modelId, entity_id: 'b' });
    assert.deepEqual(recommendations.map(({ target_id: id, name: shown }) => [id, shown]), [['a', 'New name']]);
  }),
];
