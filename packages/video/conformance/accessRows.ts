import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { createPath, type RunRecord } from './client.ts';
import { row, smallOptions } from './fixture.ts';

const section = 'Authentication';
const nobody = '00000000-0000-4000-8000-000000000000';

const endpoints = [
  ['POST', createPath],
  ['GET', `/v1/status/${nobody}`],
  ['GET', `/v1/cancel/${nobody}`],
] as const;

const notAccepted = ['vch_000000000000000000000000000000000000000000000000', 'x'.repeat(32), 'x'.repeat(5000)];

/** Keys and what they permit. */
export const accessRows: readonly ConformanceRow[] = [
  ...endpoints.map(([method, path]) =>
    row(section, `${method} ${path.replace(nobody, '{run_id}')} requires a key`, async ({ client }) => {
      expectStatus(await client.withKey('').send(method, path), 401);
      for (const key of notAccepted) expectStatus(await client.withKey(key).send(method, path), 401);
    }),
  ),
  row(section, 'the key stands in the header apikey, not in another one and not in the address', async ({ client, context, completed }) => {
    const anonymous = client.withKey('');
    const { apiKey } = context;
    const path = `/v1/status/${completed.run_id}`;
    expectStatus(await anonymous.send('GET', path, { headers: { APIKEY: apiKey } }), 200);
    const elsewhere = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey, cookie: `apikey=${apiKey}` };
    for (const [name, value] of Object.entries(elsewhere)) expectStatus(await anonymous.send('GET', path, { headers: { [name]: value } }), 401);
    expectStatus(await anonymous.send('GET', `${path}?apikey=${apiKey}`), 401);
  }),
  row(section, 'a further key of the organization sees its runs', async ({ client, context, completed }) => {
    const further = client.withKey(await context.createKey(['video:read']));
    assert.equal(expectStatus(await further.status(completed.run_id), 200).json<RunRecord>().run_id, completed.run_id);
  }),
  row(section, 'another organization neither sees, cancels nor uses its runs', async ({ client, context, completed, mediaUrl }) => {
    const other = client.withKey(await context.createKey(['admin'], 'new'));
    expectStatus(await other.status(completed.run_id), 404);
    expectStatus(await other.cancel(completed.run_id), 404);
    const { run_id: runId } = await other.begin({ media_url: mediaUrl, options: smallOptions, cache_id: completed.run_id });
    const run = await other.untilStatus(runId, ({ cache }) => cache.hit !== null);
    await other.cancel(runId);
    assert.deepEqual(run.cache, { id: completed.run_id, hit: false });
    assert.equal(run.warnings[0]?.code, 'cache-unknown');
  }),
  row(section, 'a key can be scoped to some of the endpoints', async ({ client, context, completed, mediaUrl }) => {
    const reader = client.withKey(await context.createKey(['video:read']));
    expectStatus(await reader.status(completed.run_id), 200);
    for (const refused of [await reader.create({ media_url: mediaUrl }), await reader.cancel(completed.run_id)]) {
      assert.equal(expectStatus(refused, 403).json<{ code: string }>().code, 'missing-scope');
    }
    const writer = client.withKey(await context.createKey(['video:write']));
    expectStatus(await writer.cancel(completed.run_id), 200);
    expectStatus(await writer.status(completed.run_id), 403);
  }),
];
