import { receivedAt } from '@vouch/platform/conformance/receivedAt';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import type { Training } from './client.ts';
import { completedPath, failedPath, failingModelId, row, type Fixture } from './fixture.ts';

const section = 'Events';

async function eventAt(fixture: Fixture, path: string): Promise<{ type: string; data: Training }> {
  const call = await receivedAt(fixture.context, path);
  assert.equal(call.method, 'POST');
  assert.match(String(call.headers['content-type']), /^application\/json/);
  return JSON.parse(call.body) as { type: string; data: Training };
}

/** Callbacks of trainings. */
export const eventRows: readonly ConformanceRow[] = [
  row(section, 'callback_url is called when a training ends successfully', async (fixture) => {
    const { type, data } = await eventAt(fixture, completedPath);
    assert.equal(type, 'model.training.completed');
    assert.deepEqual(data, fixture.trained, 'the call should carry the record that the status answers');
  }),
  row(section, 'callback_url is called when a training ends unsuccessfully', async (fixture) => {
    const { type, data } = await eventAt(fixture, failedPath);
    assert.equal(type, 'model.training.error');
    assert.deepEqual([data.model_id, data.status], [failingModelId, 'error']);
    assert.ok((data.error?.detail ?? '') !== '', 'the call should carry the reason');
    const status = (await fixture.client.status(failingModelId)).json<Training>();
    assert.deepEqual(data, status, 'the call should carry the record that the status answers');
    assert.equal(data.error?.type, `${fixture.context.baseUrl}/docs/errors/${data.error?.code}`);
  }),
  row(section, 'no other call is made for these trainings', async (fixture) => {
    for (const path of [completedPath, failedPath]) {
      await receivedAt(fixture.context, path);
      assert.equal(fixture.context.receiver.received.filter((call) => call.path === path).length, 1);
    }
    const calls = fixture.context.receiver.received.filter(({ body }) => body.includes('model.training'));
    assert.ok(calls.every(({ path }) => path === completedPath || path === failedPath));
  }),
];
