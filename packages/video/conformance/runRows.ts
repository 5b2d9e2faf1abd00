import { expectRefused, expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { createPath, type RunRecord } from './client.ts';
import { nobody, row, smallOptions } from './fixture.ts';

/** Rows about creating runs, reading their status, and cancelling them. */
export const runRows: readonly ConformanceRow[] = [
  row('V1', 'the answer is a run of this video with these options', async ({ client, mediaUrl }) => {
    const record = expectStatus(await client.create({ media_url: mediaUrl(), options: smallOptions }), 202).json<RunRecord>();
    await client.cancel(record.run_id);
    assert.equal(record.media_url, mediaUrl());
    assert.deepEqual(record.options, smallOptions);
  }),
  row('V1', 'with a slash after v1 the path is not found, and a GET is not allowed', async ({ client }) => {
    expectStatus(await client.create({}), 422);
    expectStatus(await client.send('POST', '/v1/video-summarization/create', { body: {} }), 404);
    expectStatus(await client.send('GET', createPath), 405);
  }),
  row('V2', 'a body without it is refused, and so are null, numbers, lists, objects and text that is no URL', async ({ client }) => {
    expectRefused(await client.create({}), '/media_url');
    for (const value of [7, null, ['http://a.example/'], {}]) expectRefused(await client.create({ media_url: value }), '/media_url');
    expectStatus(await client.create({ media_url: 'film.mp4' }), 422);
  }),
  row('V2', 'a field that is not known is refused by name', async ({ client }) => {
    expectRefused(await client.create({ media_url: 'http://a.example/', url: 'http://a.example/' }), '/url');
  }),
  row('V3', 'absent and null are accepted; numbers, objects and text that is no URL are refused', async ({ client, wrongUrl }) => {
    await client.begin({ media_url: wrongUrl() });
    await client.begin({ media_url: wrongUrl(), on_completed_hook: null });
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl(), on_completed_hook: value }), '/on_completed_hook');
    expectStatus(await client.create({ media_url: wrongUrl(), on_completed_hook: 'nowhere' }), 422);
  }),
  row('V4', 'absent and null are no options, also within; numbers, text and lists are refused', async ({ client, wrongUrl }) => {
    assert.deepEqual((await client.begin({ media_url: wrongUrl() })).options, {});
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: null })).options, {});
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: { seed: 3 } })).options, { seed: 3 });
    const nulls = { seed: 3, duration: null, weights: { motion: null, sound: 2 }, include_ranges: null, outputs: null };
    assert.deepEqual((await client.begin({ media_url: wrongUrl(), options: nulls })).options, { seed: 3, weights: { sound: 2 } });
    for (const value of [7, 'fast', []]) expectRefused(await client.create({ media_url: wrongUrl(), options: value }), '/options');
  }),
  row('V5', 'a longer duration makes a longer summary, and outputs names what is made', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const options = { ...smallOptions, duration: 4, outputs: ['mp4'] };
    const other = await client.runToEnd({ media_url: mediaUrl(), options, cache_id: record.run_id });
    const length = ({ segments }: RunRecord): number => segments.reduce((sum, { start, end }) => sum + end - start, 0);
    assert.ok(length(other) > length(record), `${length(other)} s should be more than ${length(record)} s`);
    assert.deepEqual(other.outputs.map(({ kind }) => kind), ['mp4']);
  }),
  row('V5', 'an option that is not known is refused by name', async ({ client }) => {
    expectRefused(await client.create({ media_url: 'http://a.example/', options: { lenght: 3 } }), '/options/lenght');
  }),
  row('V6', 'absent and null name no run; numbers and objects are refused', async ({ client, wrongUrl }) => {
    for (const body of [{ media_url: wrongUrl() }, { media_url: wrongUrl(), cache_id: null }]) assert.equal((await client.begin(body)).cache.id, null);
    for (const value of [7, {}]) expectRefused(await client.create({ media_url: wrongUrl(), cache_id: value }), '/cache_id');
  }),
  row('V7', 'the record says that the data of that run was used', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const again = await client.runToEnd({ media_url: mediaUrl(), options: { ...smallOptions, order: 'importance' }, cache_id: record.run_id });
    assert.equal(again.status, 'completed');
    assert.deepEqual([again.cache, again.warnings], [{ id: record.run_id, hit: true }, record.warnings]);
  }),
  row('V7', 'where there is no such run, the run goes on without it and says so', async ({ client, mediaUrl }) => {
    const run = await client.runToEnd({ media_url: mediaUrl(), options: smallOptions, cache_id: nobody });
    assert.equal(run.status, 'completed');
    assert.deepEqual(run.cache, { id: nobody, hit: false });
    assert.equal(run.warnings[0]?.code, 'cache-unknown');
  }),
  row('V8', 'a run with another duration uses the data again, and makes another summary of the same shots', async ({ client, completed, mediaUrl }) => {
    const { record } = await completed();
    const again = await client.runToEnd({ media_url: mediaUrl(), options: { ...smallOptions, duration: 3 }, cache_id: record.run_id });
    assert.deepEqual([again.status, again.cache.hit, again.shots_count], ['completed', true, record.shots_count]);
    assert.notDeepEqual(again.segments, record.segments);
  }),
  row('V9', 'the record of a run that has ended stays the same', async ({ client, completed }) => {
    const { record } = await completed();
    assert.deepEqual(withoutLinks(expectStatus(await client.status(record.run_id), 200).json()), withoutLinks(record));
  }),
  row('V10', 'the id of a run is found; other ids and none are not', async ({ client, failed }) => {
    expectStatus(await client.status((await failed()).run_id), 200);
    for (const id of [nobody, 'no-such-run', '']) expectStatus(await client.status(id), 404);
  }),
  row('V11', 'the record says cancelling or cancelled, and then cancelled, without outputs', async ({ client, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl(), options: smallOptions });
    const { status } = expectStatus(await client.cancel(runId), 200).json<RunRecord>();
    assert.ok(['cancelling', 'cancelled'].includes(status), `the status is ${status}`);
    const ended = await client.untilStatus(runId);
    assert.deepEqual([ended.status, ended.outputs], ['cancelled', []]);
  }),
  row('V11', 'a run that has ended stays as it is', async ({ client, completed }) => {
    const { record } = await completed();
    assert.deepEqual(withoutLinks(expectStatus(await client.cancel(record.run_id), 200).json()), withoutLinks(record));
  }),
  row('V12', 'a GET is answered, which no cache may keep; a POST is not allowed', async ({ client, failed }) => {
    const { run_id: runId } = await failed();
    expectStatus(await client.send('POST', `/v1/cancel/${runId}`), 405);
    assert.equal(expectStatus(await client.cancel(runId), 200).headers.get('cache-control'), 'no-store');
  }),
  row('V13', 'the id of a run is found; another id and none are not', async ({ client, failed }) => {
    expectStatus(await client.cancel((await failed()).run_id), 200);
    for (const id of [nobody, '']) expectStatus(await client.cancel(id), 404);
  }),
  row('V18', 'the status of a cancelled run is cancelled, with its end and no error', async ({ client, mediaUrl }) => {
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
