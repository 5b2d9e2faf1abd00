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
  row('B1', 'the record of an upload has these five fields and no other', async (fixture) => {
    const names = ['batch_id', 'entity_count', 'interaction_count', 'tags', 'timestamp'];
    assert.deepEqual(Object.keys(await uploadOne(fixture, smallEntities('a'))).sort(), names);
    assert.deepEqual(Object.keys(await uploadOne(fixture, smallInteractions(['u', 'a']))).sort(), names);
  }),
  row('B2', 'two uploads of one file get two ids, which are strings', async (fixture) => {
    const ids = [await uploadOne(fixture, smallEntities('a')), await uploadOne(fixture, smallEntities('a'))].map(({ batch_id: id }) => id);
    for (const id of ids) assert.ok(typeof id === 'string' && id !== '', 'the id should be a string');
    assert.notEqual(ids[0], ids[1]);
  }),
  row('B3', 'the timestamp of an upload has the form of ISO 8601 in UTC', async (fixture) => {
    const { timestamp } = await uploadOne(fixture, smallEntities('a'));
    assert.match(timestamp, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/);
    assert.ok(!Number.isNaN(Date.parse(timestamp)), 'the timestamp is no time');
  }),
  row('B4', 'the tags of the record are those of the upload, in their order', async ({ client, name }) => {
    const tags = [name('z'), name('a')];
    assert.deepEqual(only(await client.upload([smallEntities('a')], tags)).tags, tags);
  }),
  row('B5', 'three rows of entities, two with one id, count 3', async (fixture) => {
    const { entity_count: entities, interaction_count: interactions } = await uploadOne(fixture, smallEntities('count-1', 'count-2', 'count-2'));
    assert.deepEqual([entities, interactions], [3, 0]);
  }),
  row('B6', 'two rows of interactions count 2', async (fixture) => {
    const { entity_count: entities, interaction_count: interactions } = await uploadOne(fixture, smallInteractions(['u', 'a'], ['u', 'b']));
    assert.deepEqual([entities, interactions], [0, 2]);
  }),
  row('B7', 'JSON, a PDF and an empty file are refused', async ({ client }) => {
    for (const content of ['{"id": 1}', '%PDF-1.7\n%\u0001', '']) expectStatus(await client.tryUpload([content]), 422);
  }),
  row('B8', 'a file without one of the columns of its table is refused, for each column', async ({ client }) => {
    expectStatus(await client.tryUpload(['name,price\na,1\n']), 422);
    for (const header of [entityHeader, interactionHeader]) {
      for (const column of header.split(',')) {
        const without = header.split(',').filter((name) => name !== column);
        expectStatus(await client.tryUpload([`${without.join(',')}\n${without.map(() => 'x').join(',')}\n`]), 422);
      }
    }
  }),
  row('B9', 'an uploaded batch is listed with the record that the upload answered', async (fixture) => {
    const batch = await uploadOne(fixture, smallEntities('a'));
    assert.deepEqual(expectStatus(await fixture.client.batches({ batch_id: batch.batch_id }), 200).json(), [batch]);
  }),
  row('B10', 'an upload without tags is accepted, and its record has an empty list', async ({ client }) => {
    assert.deepEqual((await uploadForm(client, [])).tags, []);
  }),
  row('B11', 'one tag, two fields of tags, and a JSON array of two are read as such', async ({ client, name }) => {
    const [one, two] = [name('one'), name('two')];
    assert.deepEqual((await uploadForm(client, [['tags', one]])).tags, [one]);
    assert.deepEqual((await uploadForm(client, [['tags', one], ['tags', two]])).tags, [one, two]);
    assert.deepEqual((await uploadForm(client, [['tags', JSON.stringify([one, two])]])).tags, [one, two]);
  }),
  row('B12', 'a form without a file is refused and stores nothing', async ({ client, name }) => {
    const tag = name('no-file');
    const form = new FormData();
    form.append('tags', tag);
    const reply = expectStatus(await client.send('POST', path, { form }), 422);
    assert.equal(reply.json<{ code: string }>().code, 'no-files');
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), []);
  }),
  row('B12', 'a form that names the file otherwise is refused by that name', async ({ client }) => {
    const form = new FormData();
    form.append('file', 'x');
    form.append('files', new Blob([smallEntities('x')]), 'x.csv');
    expectRefused(await client.send('POST', path, { form }), '/file');
  }),
  row('B13', 'the header tells entities from interactions', async (fixture) => {
    const entities = await uploadOne(fixture, smallEntities('a'));
    const interactions = await uploadOne(fixture, smallInteractions(['u', 'a']));
    assert.deepEqual([entities.entity_count, entities.interaction_count], [1, 0]);
    assert.deepEqual([interactions.entity_count, interactions.interaction_count], [0, 1]);
  }),
  row('B14', 'two calls with one tag make two batches', async ({ client, name }) => {
    const tag = name('repeated');
    const ids: string[] = [];
    for (const id of ['first', 'second']) ids.push(only(await client.upload([smallEntities(id)], [tag])).batch_id);
    const found = expectStatus(await client.batches({ tags: tag }), 200).json<Batch[]>();
    assert.deepEqual(found.map(({ batch_id: id }) => id).sort(), ids.sort());
  }),
  row('B15', 'an upload of two files answers two records, in the order of the files', async ({ client, name }) => {
    const reply = expectStatus(await client.tryUpload([smallEntities('list-1'), smallInteractions(['u', 'a'])], [name('list')]), 201);
    const counts = reply.json<Batch[]>().map((batch) => [batch.entity_count, batch.interaction_count]);
    assert.deepEqual(counts, [[1, 0], [0, 1]]);
  }),
  row('B16', 'the tag of an upload finds that batch alone', async ({ client, name }) => {
    const tag = name('label');
    const batch = only(await client.upload([smallEntities('label-1')], [tag]));
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), [batch]);
  }),
  row('B17', 'the tag of an upload deletes that batch, which is gone then', async ({ client, name }) => {
    const tag = name('label');
    const batch = only(await client.upload([smallEntities('label-1')], [tag]));
    assert.deepEqual(expectStatus(await client.deleteBatches({ tags: tag }), 200).json(), [batch]);
    assert.deepEqual(expectStatus(await client.batches({ tags: tag }), 200).json(), []);
    expectStatus(await client.batches({ batch_id: batch.batch_id }), 404);
  }),
  row('B18', 'a training by the tag of an upload reads that batch alone', async ({ client, name }) => {
    const tag = name('label');
    await client.upload([smallEntities('label-1', 'label-2')], [tag]);
    const { data } = await client.trainToEnd({ model_id: name('label'), data_tags: tag });
    assert.deepEqual([data?.batches, data?.entities.distinct], [1, 2]);
  }),
  row('B19', 'a second upload under the tag replaces the rows of the same ids: a training sees the new name', async ({ client, name }) => {
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
