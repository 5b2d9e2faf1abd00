import { receivedAt } from '@vouch/platform/conformance/receivedAt';
import assert from 'node:assert/strict';
import { inHouseOf, type ConformanceRow } from '@vouch/platform/conformance/context';
import type { Training } from './client.ts';
import { completedPath, failedPath, row, type Fixture } from './fixture.ts';

async function eventAt({ context }: Fixture, path: string): Promise<{ type: string; data: Training }> {
  const call = await receivedAt(context, path);
  assert.equal(call.method, 'POST');
  assert.match(String(call.headers['content-type']), /^application\/json/);
  return JSON.parse(call.body) as { type: string; data: Training };
}

/** Conformance rows of callbacks of trainings. */
export const eventRows: readonly ConformanceRow[] = [
  row('E1', 'the call contains the same record as the status', async (fixture) => {
    const { trained } = await fixture.model();
    const { type, data } = await eventAt(fixture, completedPath);
    assert.equal(type, 'model.training.completed');
    assert.deepEqual(data, trained);
  }),
  row('E2', 'the call contains the same record as the status, with the reason', async (fixture) => {
    const failed = await fixture.failed();
    const { type, data } = await eventAt(fixture, failedPath);
    assert.equal(type, 'model.training.error');
    assert.deepEqual([data.model_id, data.status], [failed.model_id, 'error']);
    assert.deepEqual(data, failed);
    assert.equal(data.error?.type, `${fixture.context.baseUrl}/docs/errors/${data.error?.code}`);
  }),
  row('E5', 'each of the two trainings causes one call, and other trainings cause none', async (fixture) => {
    await fixture.model();
    await fixture.failed();
    for (const path of [completedPath, failedPath]) await receivedAt(fixture.context, path);
    const { receiver } = inHouseOf(fixture.context, 'a receiver');
    const calls = receiver.received.filter(({ body }) => body.includes('model.training'));
    assert.deepEqual(calls.map(({ path }) => path).sort(), [completedPath, failedPath].sort());
  }),
];
