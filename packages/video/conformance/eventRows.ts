import { receivedAt } from '@vouch/platform/conformance/receivedAt';
import assert from 'node:assert/strict';
import { fetchWhole } from '@vouch/platform/outbound/fetchWhole';
import type { ConformanceRow } from '@vouch/platform/product/product';
import type { RunRecord } from './client.ts';
import { cancelledHook, completedHook, failedHook, row, type Fixture } from './fixture.ts';
import { withoutLinks } from './runRows.ts';

const section = 'Events';

async function eventAt(fixture: Fixture, path: string): Promise<{ type: string; data: RunRecord }> {
  const call = await receivedAt(fixture.context, path);
  assert.equal(call.method, 'POST');
  assert.match(String(call.headers['content-type']), /^application\/json/);
  return JSON.parse(call.body) as { type: string; data: RunRecord };
}

/** Callbacks of summarizations; the row that cancels a run stands before these. */
export const eventRows: readonly ConformanceRow[] = [
  row(section, 'on_completed_hook is called when a run ends successfully', async (fixture) => {
    const { type, data } = await eventAt(fixture, completedHook);
    assert.equal(type, 'video.summarization.completed');
    assert.deepEqual(withoutLinks(data), withoutLinks(fixture.completed), 'the call should carry the record that the status answers');
    for (const { url } of data.outputs) assert.equal((await fetchWhole(url, { method: 'HEAD' })).status, 200, 'the links of the call should work');
  }),
  row(section, 'on_completed_hook is called when a run ends unsuccessfully', async (fixture) => {
    const { type, data } = await eventAt(fixture, failedHook);
    assert.equal(type, 'video.summarization.error');
    assert.deepEqual(data, fixture.failed, 'the call should carry the record that the status answers');
    assert.equal(data.error?.type, `${fixture.context.baseUrl}/docs/errors/${data.error?.code}`);
  }),
  row(section, 'on_completed_hook is called when a run is cancelled', async (fixture) => {
    const { type, data } = await eventAt(fixture, cancelledHook);
    assert.deepEqual([type, data.status], ['video.summarization.cancelled', 'cancelled']);
  }),
  row(section, 'no other call is made for these runs', async (fixture) => {
    const paths = [completedHook, failedHook, cancelledHook];
    for (const path of paths) {
      await receivedAt(fixture.context, path);
      assert.equal(fixture.context.receiver.received.filter((call) => call.path === path).length, 1);
    }
    const calls = fixture.context.receiver.received.filter(({ body }) => body.includes('video.summarization'));
    assert.ok(calls.every(({ path }) => paths.includes(path)));
  }),
];
