import { expectRefused, expectStatus, type Call } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { RowSkipped, type ConformanceRow } from '@vouch/platform/conformance/context';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { hasEnded, type Client, type Training } from './client.ts';
import { row, smallEntities, smallInteractions, type Fixture } from './fixture.ts';

const dayMs = 86_400_000;

/** Starts a training and cancels it immediately. */
async function beginAndCancel(client: Client, call: Call): Promise<Training> {
  const record = expectStatus(await client.send('POST', '/v1/recommender/train', call), 202).json<Training>();
  await client.cancel(record.model_id);
  await client.untilStatus(record.model_id);
  return record;
}

async function targetsOf(client: Client, modelId: string): Promise<string[]> {
  const rows = await client.relatedRows({ model_id: modelId });
  return [...new Set(rows.map(({ target }) => target))].sort();
}

/** Starts a small training and returns the answer of the request. */
async function beginSmall({ client, name }: Fixture): Promise<{ modelId: string; tag: string; reply: Training }> {
  const [tag, modelId] = [name('small'), name('small')];
  await client.upload([smallInteractions(['u', 'a'], ['u', 'b'], ['v', 'a'], ['v', 'b'])], [tag]);
  return { modelId, tag, reply: await client.begin({ model_id: modelId, data_tags: tag }) };
}

/** Skips the row unless the organization is disposable, because the training reads all data of the organization. */
function needDisposable({ context }: Fixture): void {
  if (!context.disposable) throw new RowSkipped('needs an organization that had no batch before: the training would read all of its data');
}

/** Conformance rows of training and its status. */
export const trainRows: readonly ConformanceRow[] = [
  row('T1', 'the id identifies the model; numbers, lists and objects are rejected', async ({ client, model }) => {
    const { modelId } = await model();
    assert.equal(expectStatus(await client.status(modelId), 200).json<Training>().model_id, modelId);
    for (const value of [7, ['films'], {}]) expectRefused(await client.tryTrain({ model_id: value }), '/model_id');
  }),
  row('T2', 'queries use the old model until the new training completes, then the new model', async ({ client, name }) => {
    const [old, young, modelId] = [name('old'), name('new'), name('replaced')];
    await client.upload([smallInteractions(['u', 'old-1'], ['u', 'old-2'], ['v', 'old-1'], ['v', 'old-2'])], [old]);
    await client.upload([smallInteractions(['u', 'new-1'], ['u', 'new-2'], ['v', 'new-1'], ['v', 'new-2'])], [young]);
    const first = await client.train({ model_id: modelId, data_tags: old });
    assert.deepEqual(await targetsOf(client, modelId), ['old-1', 'old-2']);
    const second = await client.begin({ model_id: modelId, data_tags: young });
    assert.equal(second.serving_version, first.serving_version, 'the old model should answer until then');
    const completed = await client.untilStatus(modelId);
    assert.equal(completed.serving_version, (first.serving_version ?? 0) + 1);
    await client.untilAnswering(modelId, completed.serving_version);
    assert.deepEqual(await targetsOf(client, modelId), ['new-1', 'new-2']);
  }),
  row('T3', 'the answer describes a training in progress with the requested id', async (fixture) => {
    const { modelId, reply } = await beginSmall(fixture);
    assert.equal(reply.model_id, modelId);
    assert.ok(!hasEnded(reply), `the status is ${reply.status}`);
  }),
  row('T4', 'an empty object starts a training, and so does a request without a body', async (fixture) => {
    needDisposable(fixture);
    assert.notEqual((await beginAndCancel(fixture.client, { body: {} })).model_id, '');
    assert.notEqual((await beginAndCancel(fixture.client, {})).model_id, '');
  }),
  row('T4', 'a null value counts as an absent field, for each field', async (fixture) => {
    needDisposable(fixture);
    const empty = { model_id: null, maximum_interaction_age_days: null, data_tags: null, callback_url: null, parameters: { setting: null, seed: null } };
    const { model_id: modelId, parameters } = await beginAndCancel(fixture.client, { body: empty });
    assert.ok(typeof modelId === 'string' && modelId !== '', 'an id should be assigned');
    assert.deepEqual([parameters.data_tags, parameters.maximum_interaction_age_days], [[], null]);
  }),
  row('T4', 'an unknown field is rejected with its name', async ({ client, name }) => {
    expectRefused(await client.tryTrain({ data_tag: name('films') }), '/data_tag');
  }),
  row('T5', 'two trainings without an id get two different ids, and each id returns its training', async ({ client, name }) => {
    const body = { data_tags: [name('none')] };
    const [first, second] = [await beginAndCancel(client, { body }), await beginAndCancel(client, { body })];
    assert.notEqual(first.model_id, second.model_id);
    assert.equal((await client.untilStatus(first.model_id)).model_id, first.model_id);
  }),
  row('T6', 'text, fractions, lists and booleans are rejected', async ({ client, name }) => {
    for (const value of ['30', 1.5, [30], true]) {
      expectRefused(await client.tryTrain({ data_tags: name('none'), maximum_interaction_age_days: value }), '/maximum_interaction_age_days');
    }
  }),
  row('T7', 'of six interactions, the two that are older than 30 days are not used', async ({ client, name }) => {
    const [tag, modelId] = [name('ages'), name('ages')];
    const daysAgo = (days: number): string => new Date(systemInterfaces.clock.now() - days * dayMs).toISOString();
    await client.upload([smallInteractions(
      ['u', 'young-1', daysAgo(1)], ['u', 'young-2', daysAgo(2)], ['v', 'young-1', daysAgo(29)], ['v', 'young-2', daysAgo(1)],
      ['u', 'aged', daysAgo(31)], ['v', 'aged', daysAgo(400)],
    )], [tag]);
    const { data } = await client.train({ model_id: modelId, data_tags: tag, maximum_interaction_age_days: 30 });
    assert.deepEqual([data?.interactions.used, data?.interactions.ignored.too_old], [4, 2]);
    assert.deepEqual(await targetsOf(client, modelId), ['young-1', 'young-2']);
  }),
  row('T8', 'one tag selects its batch; a list of tags selects the batches with any of these tags', async ({ client, name }) => {
    const [a, b, c, modelId] = [name('group-a'), name('group-b'), name('group-c'), name('groups')];
    await client.upload([smallEntities('a-1', 'a-2')], [a]);
    await client.upload([smallEntities('b-1')], [b]);
    await client.upload([smallEntities('c-1', 'c-2', 'c-3', 'c-4')], [c]);
    const one = await client.train({ model_id: modelId, data_tags: a });
    assert.deepEqual([one.data?.batches, one.data?.entities.distinct], [1, 2]);
    const any = await client.train({ model_id: modelId, data_tags: [a, b, name('no-such-group')] });
    assert.deepEqual([any.data?.batches, any.data?.entities.distinct], [2, 3]);
  }),
  row('T9', 'a number, a list and text that is not a URL are rejected', async ({ client, name }) => {
    for (const value of [7, ['http://a.example/']]) {
      expectRefused(await client.tryTrain({ data_tags: name('none'), callback_url: value }), '/callback_url');
    }
    expectStatus(await client.tryTrain({ data_tags: name('none'), callback_url: 'not a url' }), 422);
  }),
  row('T10', 'the answer arrives before the training ends and names the data that the training will use', async (fixture) => {
    const { modelId, tag, reply } = await beginSmall(fixture);
    assert.ok(!hasEnded(reply), `the status is ${reply.status}`);
    assert.deepEqual([reply.model_id, reply.parameters.data_tags, reply.completed_at], [modelId, [tag], null]);
  }),
  row('T11', 'repeated requests return the same status of a completed training', async ({ client, model }) => {
    const { modelId, trained } = await model();
    assert.deepEqual(expectStatus(await client.status(modelId), 200).json(), trained);
  }),
  row('T12', 'the assigned id returns the training; an unknown id and an empty id are not found', async ({ client, name }) => {
    const { model_id: modelId } = await beginAndCancel(client, { body: { data_tags: [name('none')] } });
    assert.equal(expectStatus(await client.status(modelId), 200).json<Training>().model_id, modelId);
    expectStatus(await client.status(name('no-such-model')), 404);
    expectStatus(await client.get('/v1/recommender//status'), 404);
  }),
  row('T13', 'the status of a new training is queued or running, and the training ends', async (fixture) => {
    const { modelId, reply } = await beginSmall(fixture);
    assert.ok(['queued', 'running'].includes(reply.status), `the status is ${reply.status}`);
    assert.ok(hasEnded(await fixture.client.untilStatus(modelId)));
  }),
  row('T14', 'the status of a successful training is completed, with start and end times and no error', async ({ client, model }) => {
    const record = expectStatus(await client.status((await model()).modelId), 200).json<Training>();
    assert.deepEqual([record.status, record.progress, record.error], ['completed', 1, null]);
    assert.ok(record.started_at !== null && record.completed_at !== null, 'the times of the training are missing');
  }),
  row('T15', 'the status of a training without data is error, with the reason', async ({ client, failed }) => {
    const { model_id: modelId, parameters } = await failed();
    const record = expectStatus(await client.status(modelId), 200).json<Training>();
    assert.deepEqual([record.status, record.serving_version], ['error', null]);
    assert.ok((record.error?.detail ?? '').includes(parameters.data_tags[0]!), 'the reason should name the tag without data');
  }),
];
