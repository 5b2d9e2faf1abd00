import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { realDoors } from '@vouch/platform/process/doors';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { hasEnded, type Client, type Training } from './client.ts';
import { failingModelId, row, smallEntities, smallInteractions } from './fixture.ts';

const section = 'Endpoints / POST train';
const status = 'Endpoints / GET status';
const dayMs = 86_400_000;

/** Starts a training whose result nobody waits for. */
async function beginAndCancel(client: Client, call: Parameters<Client['send']>[2]): Promise<Training> {
  const record = expectStatus(await client.send('POST', '/v1/recommender/train', call), 202).json<Training>();
  await client.cancel(record.model_id);
  await client.untilStatus(record.model_id);
  return record;
}

async function targetsOf(client: Client, modelId: string): Promise<string[]> {
  const rows = await client.relatedRows({ model_id: modelId });
  return [...new Set(rows.map(({ target }) => target))].sort();
}

/** Training and its status. */
export const trainRows: readonly ConformanceRow[] = [
  row(section, 'POST /v1/recommender/train starts a training and answers at once', async ({ started }) => {
    expectStatus(started, 202);
    assert.ok(!hasEnded(started.json<Training>()), 'the answer came only after the training had ended');
  }),
  row(section, 'the answer is metadata about the training', async ({ started, modelId }) => {
    const record = started.json<Training>();
    assert.equal(record.model_id, modelId);
    assert.ok(['queued', 'running'].includes(record.status), `the status is ${record.status}`);
    assert.equal(record.completed_at, null);
  }),
  row(section, 'every field, and the body itself, may be left out', async ({ client }) => {
    assert.notEqual((await beginAndCancel(client, { body: {} })).model_id, '');
    assert.notEqual((await beginAndCancel(client, {})).model_id, '');
  }),
  row(section, 'null in an optional field means that the field is absent', async ({ client }) => {
    const given = { model_id: null, maximum_interaction_age_days: null, data_tags: null, callback_url: null };
    const record = await beginAndCancel(client, { body: { ...given, parameters: { setting: null, seed: null } } });
    assert.notEqual(record.model_id, '');
    assert.deepEqual([record.parameters.data_tags, record.parameters.maximum_interaction_age_days], [[], null]);
    await beginAndCancel(client, { body: { ...given, parameters: null } });
  }),
  row(section, 'model_id: one is assigned where none is given, another each time', async ({ client }) => {
    const first = await beginAndCancel(client, {});
    const second = await beginAndCancel(client, {});
    assert.notEqual(first.model_id, second.model_id);
    assert.equal((await client.untilStatus(first.model_id)).model_id, first.model_id);
  }),
  row(section, 'model_id is text', async ({ client }) => {
    for (const value of [7, ['films'], {}]) expectRefused(await client.tryTrain({ model_id: value }), '/model_id');
  }),
  row('Resources / Model', 'training an existing model_id replaces that model when the training completes', async ({ client }) => {
    await client.upload([smallInteractions(['u', 'old-1'], ['u', 'old-2'], ['v', 'old-1'], ['v', 'old-2'])], ['old']);
    await client.upload([smallInteractions(['u', 'new-1'], ['u', 'new-2'], ['v', 'new-1'], ['v', 'new-2'])], ['new']);
    const first = await client.train({ model_id: 'replaced', data_tags: 'old' });
    assert.deepEqual(await targetsOf(client, 'replaced'), ['old-1', 'old-2']);
    const second = await client.begin({ model_id: 'replaced', data_tags: 'new' });
    assert.equal(second.serving_version, first.serving_version, 'the old model should answer until then');
    const completed = await client.untilStatus('replaced');
    assert.equal(completed.serving_version, (first.serving_version ?? 0) + 1);
    await client.untilAnswering('replaced', completed.serving_version);
    assert.deepEqual(await targetsOf(client, 'replaced'), ['new-1', 'new-2']);
  }),
  row(section, 'maximum_interaction_age_days is a whole number', async ({ client }) => {
    for (const value of ['30', 1.5, [30], true]) {
      expectRefused(await client.tryTrain({ maximum_interaction_age_days: value }), '/maximum_interaction_age_days');
    }
  }),
  row(section, 'only interactions up to maximum_interaction_age_days old are used', async ({ client }) => {
    const daysAgo = (days: number): string => new Date(realDoors.clock.now() - days * dayMs).toISOString();
    await client.upload([smallInteractions(
      ['u', 'young-1', daysAgo(1)], ['u', 'young-2', daysAgo(2)], ['v', 'young-1', daysAgo(29)], ['v', 'young-2', daysAgo(1)],
      ['u', 'aged', daysAgo(31)], ['v', 'aged', daysAgo(400)],
    )], ['ages']);
    const { data } = await client.train({ model_id: 'ages', data_tags: 'ages', maximum_interaction_age_days: 30 });
    assert.deepEqual([data?.interactions.used, data?.interactions.ignored.too_old], [4, 2]);
    assert.deepEqual(await targetsOf(client, 'ages'), ['young-1', 'young-2']);
  }),
  row(section, 'data_tags restricts the data to batches with one or more of the tags; text or a list', async ({ client }) => {
    await client.upload([smallEntities('a-1', 'a-2')], ['group-a', 'shared']);
    await client.upload([smallEntities('b-1')], ['group-b', 'shared']);
    await client.upload([smallEntities('c-1', 'c-2', 'c-3', 'c-4')], ['group-c']);
    const one = await client.train({ model_id: 'groups', data_tags: 'group-a' });
    assert.deepEqual([one.data?.batches, one.data?.entities.distinct], [1, 2]);
    const any = await client.train({ model_id: 'groups', data_tags: ['group-a', 'group-b', 'no-such-group'] });
    assert.deepEqual([any.data?.batches, any.data?.entities.distinct], [2, 3]);
  }),
  row(section, 'callback_url is text: an address', async ({ client }) => {
    for (const value of [7, ['http://a.example/']]) {
      expectRefused(await client.tryTrain({ callback_url: value }), '/callback_url');
    }
    expectStatus(await client.tryTrain({ callback_url: 'not an address' }), 422);
  }),
  row(section, 'a field that is not known is refused by name', async ({ client }) => {
    expectRefused(await client.tryTrain({ data_tag: 'films' }), '/data_tag');
  }),
  row(status, 'GET /v1/recommender/{model_id}/status answers the record of the training', async ({ client, modelId, trained }) => {
    const record = expectStatus(await client.status(modelId), 200).json<Training>();
    assert.deepEqual(record, trained);
  }),
  row(status, 'model_id in the path is required and must be known', async ({ client }) => {
    expectStatus(await client.status('no-such-model'), 404);
    expectStatus(await client.get('/v1/recommender//status'), 404);
  }),
  row('States and transitions', 'a successful training ends as completed', async ({ trained }) => {
    assert.equal(trained.status, 'completed');
    assert.equal(trained.progress, 1);
    assert.equal(trained.error, null);
    assert.ok(trained.started_at !== null && trained.completed_at !== null, 'the times of the training are missing');
  }),
  row('States and transitions', 'an unsuccessful training ends as error, with the reason', async ({ client }) => {
    const record = await client.untilStatus(failingModelId);
    assert.equal(record.status, 'error');
    assert.ok((record.error?.detail ?? '').includes('no-such-tag'), 'the reason should name the tag without data');
    assert.equal(record.serving_version, null);
  }),
];
