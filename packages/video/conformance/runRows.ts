import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { createPath, type RunRecord } from './client.ts';
import { nobody, row, smallOptions } from './fixture.ts';

/** Rows about creating runs, reading their status, and cancelling them. */
export const runRows: readonly ConformanceRow[] = [
  row('V1', 'the answer is the record of a run with this video and these options', async ({ client, mediaUrl }) => {
    const record = expectStatus(await client.create({ media_url: mediaUrl(), options: smallOptions }), 202).json<RunRecord>();
    await client.cancel(record.run_id);
    assert.equal(record.media_url, mediaUrl());
    assert.deepEqual(record.options, smallOptions);
  }),
  row('V1', 'with a slash after v1, the path is not found; a GET is not allowed', async ({ client }) => {
    expectStatus(await client.create({}), 422);
    expectStatus(await client.send('POST', '/v1/video-summarization/create', { body: {} }), 404);
    expectStatus(await client.send('GET', createPath), 405);
  }),
  row('V2', 'a body without media_url is rejected, and so are null, numbers, lists, objects and text that is not a URL', async ({ client }) => {
    expectRefused(await client.create({}), '/media_url');
    for (const value of [7, null, ['http://a.example/'], {}]) expectRefused(await client.create({ media_url: value }), '/media_url');
    expectStatus(await client.create({ media_url: 'film.mp4' }), 422);
  }),
  row('V2', 'an unknown field is rejected with its name', async ({ client }) => {
    expectRefused(await client.create({ media_url: 'http://a.example/', url: 'http://a.example/' }), '/url');
  }),
  row('V3', 'an absent field and null are accepted; numbers, objects and text that is not a URL are rejected', async ({ client, wrongUrl }) => {
    await client.begin({ media_url: wrongUrl() });
    await client.begin({ media_url: wrongUrl(), on_completed_hook: null });
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl(), on_completed_hook: value }), '/on_completed_hook');
    expectStatus(await client.create({ media_url: wrongUrl(), on_completed_hook: 'nowhere' }), 422);
  }),
  row('V4', 'an absent field and null mean no options, also for single options; numbers, text and lists are rejected', async ({ client, wrongUrl }) => {
    assert.deepEqual((await client.begin({ media_url: wrongUrl() })).options, {});
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: null })).options, {});
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: { seed: 3 } })).options, { seed: 3 });
    const nulls = { seed: 3, duration: null, weights: { motion: null, sound: 2 }, include_ranges: null, outputs: null };
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: nulls })).options, { seed: 3, weights: { sound: 2 } });
    for (const value of [7, 'fast', []]) expectRefused(await client.create({ media_url: wrongUrl(), options: value }), '/options');
  }),
  row('V5', 'a longer duration makes a longer summary, and outputs selects the files', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const options = { ...smallOptions, duration: 4, outputs: ['mp4'] };
    const other = await client.runToEnd({ media_url: mediaUrl(), options, cache_id: record.run_id });
    const length = ({ segments }: RunRecord): number => segments.reduce((sum, { start, end }) => sum + end - start, 0);
    assert.ok(length(other) > length(record), `${length(other)} s should be more than ${length(record)} s`);
    assert.deepEqual(other.outputs.map(({ kind }) => kind), ['mp4']);
  }),
  row('V5', 'an unknown option is rejected with its name', async ({ client }) => {
    expectRefused(await client.create({ media_url: 'http://a.example/', options: { lenght: 3 } }), '/options/lenght');
  }),
  row('V6', 'an absent field and null name no run; numbers and objects are rejected', async ({ client, wrongUrl }) => {
    for (const body of [{ media_url: wrongUrl() }, { media_url: wrongUrl(), cache_id: null }]) assert.equal((await client.begin(body)).cache.id, null);
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl(), cache_id: value }), '/cache_id');
  }),
  row('V7', 'the record states that the new run used the data of that run', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const again = await client.runToEnd({ media_url: mediaUrl(), options: { ...smallOptions, order: 'importance' }, cache_id: record.run_id });
    assert.equal(again.status, 'completed');
    assert.deepEqual([again.cache, again.warnings], [{ id: record.run_id, hit: true }, record.warnings]);
  }),
  row('V7', 'if there is no such run, the new run continues without it and reports this', async ({ client, mediaUrl }) => {
    const run = await client.runToEnd({ media_url: mediaUrl(), options: smallOptions, cache_id: nobody });
    assert.equal(run.status, 'completed');
    assert.deepEqual(run.cache, { id: nobody, hit: false });
    assert.equal(run.warnings[0]?.code, 'cache-unknown');
  }),
  row('V8', 'a run with a different duration reuses the data and makes a different summary of the same shots', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const again = await client.runToEnd({ media_url: mediaUrl(), options: { ...smallOptions, duration: 3 }, cache_id: record.run_id });
    assert.deepEqual([again.status, again.cache.hit, again.shots_count], ['completed', true, record.shots_count]);
    assert.notDeepEqual(again.segments, record.segments);
  }),
  row('V9', 'the record of an ended run does not change', async ({ client, completed }) => {
    const { record } = await completed();
    assert.deepEqual(withoutLinks(expectStatus(await client.status(record.run_id), 200).json()), withoutLinks(record));
  }),
  row('V10', 'the id of a run is found; an unknown id and an empty id are not', async ({ client, failed }) => {
    expectStatus(await client.status((await failed()).run_id), 200);
    for (const id of [nobody, 'no-such-run', '']) expectStatus(await client.status(id), 404);
  }),
  row('V11', 'the status is cancelling or cancelled, finally cancelled, without outputs', async ({ client, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl(), options: smallOptions });
    const { status } = expectStatus(await client.cancel(runId), 200).json<RunRecord>();
    assert.ok(['cancelling', 'cancelled'].includes(status), `the status is ${status}`);
    const ended = await client.untilStatus(runId);
    assert.deepEqual([ended.status, ended.outputs], ['cancelled', []]);
  }),
  row('V11', 'an ended run does not change', async ({ client, completed }) => {
    const { record } = await completed();
    assert.deepEqual(withoutLinks(expectStatus(await client.cancel(record.run_id), 200).json()), withoutLinks(record));
  }),
  row('V12', 'a GET succeeds, and its answer forbids caching; a POST is not allowed', async ({ client, failed }) => {
    const { run_id: runId } = await failed();
    expectStatus(await client.send('POST', `/v1/cancel/${runId}`), 405);
    assert.equal(expectStatus(await client.cancel(runId), 200).headers.get('cache-control'), 'no-store');
  }),
  row('V13', 'the id of a run is found; an unknown id and an empty id are not', async ({ client, failed }) => {
    expectStatus(await client.cancel((await failed()).run_id), 200);
    for (const id of [nobody, '']) expectStatus(await client.cancel(id), 404);
  }),
  row('V18', 'the status of a cancelled run is cancelled, with an end time and no error', async ({ client, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl(), options: smallOptions });
    await client.cancel(runId);
    const ended = await client.untilStatus(runId);
    assert.deepEqual([ended.status, ended.error, ended.completed_at === null], ['cancelled', null, false]);
  }),
];

/** Removes the links of a record, because each answer has new links. */
export function withoutLinks({ outputs, ...record }: RunRecord): object {
  return { ...record, outputs: outputs.map((output) => ({ ...output, url: '' })) };
}
