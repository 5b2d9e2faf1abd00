import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { createPath, type RunRecord } from './client.ts';
import { cancelledHook, row, smallOptions } from './fixture.ts';

const create = 'Endpoints / POST create';
const status = 'Endpoints / GET status';
const cancel = 'Endpoints / GET cancel';
const nobody = '00000000-0000-4000-8000-000000000000';

/** Creating runs, their status, and cancelling them. */
export const runRows: readonly ConformanceRow[] = [
  row(create, 'POST /v1video-summarization/create starts a run and answers at once', async ({ started, mediaUrl }) => {
    const record = expectStatus(started, 202).json<RunRecord>();
    assert.equal(record.media_url, mediaUrl);
    assert.deepEqual(record.options, smallOptions);
  }),
  row(create, 'the path has no slash after v1, and the method is POST', async ({ client, mediaUrl }) => {
    expectStatus(await client.send('POST', '/v1/video-summarization/create', { body: { media_url: mediaUrl } }), 404);
    expectStatus(await client.send('GET', createPath), 405);
  }),
  row(create, 'media_url is required text: an address', async ({ client }) => {
    expectRefused(await client.create({}), '/media_url');
    for (const value of [7, null, ['http://a.example/'], {}]) expectRefused(await client.create({ media_url: value }), '/media_url');
    expectStatus(await client.create({ media_url: 'film.mp4' }), 422);
  }),
  row(create, 'on_completed_hook may be left out, and is text: an address', async ({ client, wrongUrl }) => {
    await client.begin({ media_url: wrongUrl });
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl, on_completed_hook: value }), '/on_completed_hook');
    expectStatus(await client.create({ media_url: wrongUrl, on_completed_hook: 'nowhere' }), 422);
  }),
  row(create, 'options may be left out, and is an object', async ({ client, wrongUrl }) => {
    assert.deepEqual((await client.begin({ media_url: wrongUrl })).options, {});
    assert.deepEqual((await client.begin({ media_url: wrongUrl, options: { seed: 3 } })).options, { seed: 3 });
    for (const value of [7, 'fast', []]) expectRefused(await client.create({ media_url: wrongUrl, options: value }), '/options');
  }),
  row(create, 'null in an optional field means that the field is absent, in options too', async ({ client, wrongUrl }) => {
    const run = await client.begin({ media_url: wrongUrl, on_completed_hook: null, options: null, cache_id: null });
    assert.deepEqual([run.options, run.cache.id], [{}, null]);
    const options = { seed: 3, duration: null, weights: { motion: null, sound: 2 }, include_ranges: null, outputs: null };
    assert.deepEqual((await client.begin({ media_url: wrongUrl, options })).options, { seed: 3, weights: { sound: 2 } });
  }),
  row(create, 'an option that is not known is refused by name', async ({ client, wrongUrl }) => {
    expectRefused(await client.create({ media_url: wrongUrl, options: { lenght: 3 } }), '/options/lenght');
  }),
  row(create, 'options change what comes of the run', async ({ client, completed, mediaUrl }) => {
    const other = await client.runToEnd({ media_url: mediaUrl, options: { ...smallOptions, duration: 4, outputs: ['mp4'] }, cache_id: completed.run_id });
    const length = ({ segments }: RunRecord): number => segments.reduce((sum, { start, end }) => sum + end - start, 0);
    assert.ok(length(other) > length(completed), `${length(other)} s should be more than ${length(completed)} s`);
    assert.deepEqual(other.outputs.map(({ kind }) => kind), ['mp4']);
  }),
  row(create, 'cache_id may be left out, and is text', async ({ client, completed, wrongUrl }) => {
    assert.deepEqual(completed.cache, { id: null, hit: false });
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl, cache_id: value }), '/cache_id');
  }),
  row(create, 'cache_id: data of that run is used again if it exists', async ({ client, completed, mediaUrl }) => {
    const again = await client.runToEnd({ media_url: mediaUrl, options: { ...smallOptions, order: 'importance' }, cache_id: completed.run_id });
    assert.equal(again.status, 'completed');
    assert.deepEqual(again.cache, { id: completed.run_id, hit: true });
    assert.deepEqual(again.warnings, completed.warnings);
  }),
  row(create, 'cache_id: where there is none, the run goes on without it', async ({ client, mediaUrl }) => {
    const run = await client.runToEnd({ media_url: mediaUrl, options: smallOptions, cache_id: nobody });
    assert.equal(run.status, 'completed');
    assert.deepEqual(run.cache, { id: nobody, hit: false });
    assert.equal(run.warnings[0]?.code, 'cache-unknown');
  }),
  row(create, 'a field that is not known is refused by name', async ({ client, mediaUrl }) => {
    expectRefused(await client.create({ media_url: mediaUrl, url: mediaUrl }), '/url');
  }),
  row(status, 'GET /v1/status/{run_id} answers the record of the run', async ({ client, completed }) => {
    assert.deepEqual(withoutLinks(expectStatus(await client.status(completed.run_id), 200).json()), withoutLinks(completed));
  }),
  row(status, 'run_id in the path is required and must be known', async ({ client }) => {
    expectStatus(await client.status(nobody), 404);
    expectStatus(await client.status('no-such-run'), 404);
    expectStatus(await client.status(''), 404);
  }),
  row(cancel, 'GET /v1/cancel/{run_id} requests the cancellation of an ongoing run', async ({ client, context, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl, options: smallOptions, on_completed_hook: context.receiver.url + cancelledHook });
    const reply = expectStatus(await client.cancel(runId), 200);
    assert.ok(['cancelling', 'cancelled'].includes(reply.json<RunRecord>().status), `the status is ${reply.json<RunRecord>().status}`);
    const ended = await client.untilStatus(runId);
    assert.equal(ended.status, 'cancelled');
    assert.deepEqual(ended.outputs, []);
  }),
  row(cancel, 'it is a GET that no cache may keep', async ({ client, failed }) => {
    expectStatus(await client.send('POST', `/v1/cancel/${failed.run_id}`), 405);
    assert.equal(expectStatus(await client.cancel(failed.run_id), 200).headers.get('cache-control'), 'no-store');
  }),
  row(cancel, 'a run that has ended stays as it is', async ({ client, completed }) => {
    assert.deepEqual(withoutLinks(expectStatus(await client.cancel(completed.run_id), 200).json()), withoutLinks(completed));
    assert.equal((await client.untilStatus(completed.run_id)).status, 'completed');
  }),
  row(cancel, 'run_id in the path is required and must be known', async ({ client }) => {
    expectStatus(await client.cancel(nobody), 404);
    expectStatus(await client.cancel(''), 404);
  }),
];

/** Links are made anew by every answer. */
export function withoutLinks({ outputs, ...record }: RunRecord): object {
  return { ...record, outputs: outputs.map((output) => ({ ...output, url: '' })) };
}
