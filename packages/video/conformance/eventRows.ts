import { receivedAt } from '@vouch/platform/conformance/receivedAt';
import assert from 'node:assert/strict';
import { inHouseOf, type ConformanceRow } from '@vouch/platform/conformance/context';
import type { RunRecord } from './client.ts';
import { completedHook, failedHook, row, smallOptions, type Fixture } from './fixture.ts';
import { withoutLinks } from './runRows.ts';

async function eventAt({ context }: Fixture, path: string): Promise<{ type: string; data: RunRecord }> {
  const call = await receivedAt(context, path);
  assert.equal(call.method, 'POST');
  assert.match(String(call.headers['content-type']), /^application\/json/);
  return JSON.parse(call.body) as { type: string; data: RunRecord };
}

/** Rows about the callbacks of summarizations. */
export const eventRows: readonly ConformanceRow[] = [
  row('E3', 'the call contains the same record as the status, with working links', async (fixture) => {
    const { record } = await fixture.completed();
    const { type, data } = await eventAt(fixture, completedHook);
    assert.equal(type, 'video.summarization.completed');
    assert.deepEqual(withoutLinks(data), withoutLinks(record));
    for (const { url } of data.outputs) assert.equal((await fixture.client.file(url, 'HEAD')).status, 200, 'the links of the call should work');
  }),
  row('E4', 'the call contains the same record as the status, with the reason', async (fixture) => {
    const failed = await fixture.failed();
    const { type, data } = await eventAt(fixture, failedHook);
    assert.equal(type, 'video.summarization.error');
    assert.deepEqual(data, failed);
    assert.equal(data.error?.type, `${fixture.context.baseUrl}/docs/errors/${data.error?.code}`);
  }),
  row('E4', 'a cancelled run also causes a call', async (fixture) => {
    const { client, context, mediaUrl, name } = fixture;
    const { receiver } = inHouseOf(context, 'a receiver of callbacks that the server can reach');
    const path = `/${name('run-cancelled')}`;
    const { run_id: runId } = await client.begin({ media_url: mediaUrl(), options: smallOptions, on_completed_hook: receiver.url + path });
    await client.cancel(runId);
    const { type, data } = await eventAt(fixture, path);
    assert.deepEqual([type, data.run_id, data.status], ['video.summarization.cancelled', runId, 'cancelled']);
  }),
  row('E5', 'each run with a hook causes one call, and a run without a hook causes none', async (fixture) => {
    await fixture.completed();
    await fixture.failed();
    for (const path of [completedHook, failedHook]) await receivedAt(fixture.context, path);
    const { receiver } = inHouseOf(fixture.context, 'a receiver');
    const calls = receiver.received.filter(({ body }) => body.includes('video.summarization'));
    for (const path of [completedHook, failedHook]) assert.equal(calls.filter((call) => call.path === path).length, 1, `${path} should be called once`);
    const known = [completedHook, failedHook];
    assert.ok(calls.every(({ path }) => known.includes(path) || path.includes('run-cancelled')), 'a run without a hook made a call');
  }),
];
