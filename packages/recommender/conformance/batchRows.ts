import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { RowSkipped, type ConformanceRow } from '@vouch/platform/conformance/context';
import { type Batch, type Client } from './client.ts';
import { row, smallEntities, type Fixture } from './fixture.ts';

async function idsOf(client: Client, query: Record<string, string | readonly string[]>): Promise<string[]> {
  const records = expectStatus(await client.batches(query), 200).json<Batch[]>();
  return records.map(({ batch_id: id }) => id).sort();
}

interface Colours {
  red: string;
  blue: string;
  /** Ids of the batch with both tags and of the batches with one tag each. */
  ids: { both: string; red: string; blue: string };
}

/** Uploads three batches: one with both tags, one with each tag. */
async function uploadColours({ client, name }: Fixture): Promise<Colours> {
  const [red, blue] = [name('red'), name('blue')];
  const ids: string[] = [];
  for (const tags of [[red, blue], [red], [blue]]) {
    const [batch] = await client.upload([smallEntities('colour')], tags);
    ids.push(batch?.batch_id ?? '');
  }
  const [both = '', ofRed = '', ofBlue = ''] = ids;
  return { red, blue, ids: { both, red: ofRed, blue: ofBlue } };
}

/** Conformance rows of listing and deleting batches. */
export const batchRows: readonly ConformanceRow[] = [
  row('B20', 'the answer has the records of both uploads, the newest first', async ({ client, sample }) => {
    const { tags, entities, interactions } = await sample();
    assert.deepEqual(expectStatus(await client.batches({ tags: tags.films }), 200).json(), [interactions, entities]);
  }),
  row('B21', 'without parameters, the answer has every batch', async (fixture) => {
    const { ids } = await uploadColours(fixture);
    const all = await idsOf(fixture.client, {});
    for (const id of Object.values(ids)) assert.ok(all.includes(id), `the batch ${id} is missing from the list of all`);
  }),
  row('B22', 'the id of an upload selects only that batch; an unknown id is not found', async (fixture) => {
    const { ids } = await uploadColours(fixture);
    assert.deepEqual(await idsOf(fixture.client, { batch_id: ids.red }), [ids.red]);
    expectStatus(await fixture.client.batches({ batch_id: 'no-such-batch' }), 404);
  }),
  row('B23', 'the answers for one tag, for two tags in three notations, and for an unused tag have the right batches', async (fixture) => {
    const { red, blue, ids } = await uploadColours(fixture);
    const { client } = fixture;
    assert.deepEqual(await idsOf(client, { tags: red }), [ids.both, ids.red].sort());
    assert.deepEqual(await idsOf(client, { tags: blue }), [ids.both, ids.blue].sort());
    for (const tags of [[red, blue], `${red},${blue}`, JSON.stringify([blue, red])]) assert.deepEqual(await idsOf(client, { tags }), [ids.both]);
    assert.deepEqual(await idsOf(client, { tags: [red, fixture.name('green')] }), []);
  }),
  row('B24', 'the answer has no uploaded id and no further field', async ({ client, name }) => {
    const [batch] = await client.upload([smallEntities('secret-entity')], [name('metadata')]);
    const { text } = expectStatus(await client.batches({ batch_id: batch!.batch_id }), 200);
    assert.ok(!text.includes('secret-entity'), 'the answer holds an id of the data');
    assert.deepEqual((JSON.parse(text) as object[]).map((record) => Object.keys(record).length), [5]);
  }),
  row('B25', 'the batch with this id is deleted; two other batches with its tags remain', async (fixture) => {
    const { red, blue, ids } = await uploadColours(fixture);
    const { client } = fixture;
    const deleted = expectStatus(await client.deleteBatches({ batch_id: ids.red }), 200).json<Batch[]>();
    assert.deepEqual(deleted.map(({ batch_id: id }) => id), [ids.red]);
    expectStatus(await client.batches({ batch_id: ids.red }), 404);
    assert.deepEqual(await idsOf(client, { tags: red }), [ids.both]);
    assert.deepEqual(await idsOf(client, { tags: blue }), [ids.both, ids.blue].sort());
  }),
  row('B26', 'two tags delete the only batch with both tags; one tag deletes all batches with that tag', async (fixture) => {
    const { red, blue, ids } = await uploadColours(fixture);
    const { client } = fixture;
    const deleted = expectStatus(await client.deleteBatches({ tags: [red, blue] }), 200).json<Batch[]>();
    assert.deepEqual(deleted.map(({ batch_id: id }) => id), [ids.both]);
    assert.deepEqual(await idsOf(client, { tags: red }), [ids.red]);
    const [second] = await client.upload([smallEntities('colour')], [blue]);
    await client.deleteBatches({ tags: blue });
    for (const id of [ids.blue, second!.batch_id]) expectStatus(await client.batches({ batch_id: id }), 404);
    assert.deepEqual(await idsOf(client, { tags: red }), [ids.red]);
  }),
  row('B27', 'each parameter can be omitted; a DELETE without both is rejected and deletes nothing', async (fixture) => {
    // A server that follows the specification literally deletes every batch here.
    if (!fixture.context.disposable) throw new RowSkipped('needs an organization that had no batch before: a server may delete every batch');
    const { blue, ids } = await uploadColours(fixture);
    const { client } = fixture;
    expectStatus(await client.deleteBatches({ batch_id: ids.red }), 200);
    const reply = expectStatus(await client.deleteBatches(), 400);
    assert.equal(reply.json<{ code: string }>().code, 'missing-filter');
    assert.deepEqual(await idsOf(client, { tags: blue }), [ids.both, ids.blue].sort());
    expectStatus(await client.deleteBatches({ tags: blue }), 200);
  }),
];
