import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { inHouseOf, type ConformanceRow } from '@vouch/platform/conformance/context';
import { createPath, type RunRecord } from './client.ts';
import { nobody, row, smallOptions, type Fixture } from './fixture.ts';

const endpoints = [
  ['POST', createPath],
  ['GET', `/v1/status/${nobody}`],
  ['GET', `/v1/cancel/${nobody}`],
] as const;

const notAccepted = ['vch_000000000000000000000000000000000000000000000000', 'x'.repeat(32), 'x'.repeat(5000)];

const furtherKey = ({ context }: Fixture, scopes: readonly string[], whose?: 'new'): Promise<string> =>
  inHouseOf(context, 'further keys').createKey(scopes, whose);

/** Rows about keys and their permissions. */
export const accessRows: readonly ConformanceRow[] = [
  ...endpoints.map(([method, path]) =>
    row('A2', `${method} ${path.replace(nobody, '{run_id}')} returns 401 without a key and with three invalid keys`, async ({ client }) => {
      expectStatus(await client.withKey('').send(method, path), 401);
      for (const key of notAccepted) expectStatus(await client.withKey(key).send(method, path), 401);
    }),
  ),
  row('A3', 'the video summarization accepts the key in the header apikey, and nowhere else', async ({ client, context }) => {
    const anonymous = client.withKey('');
    const { apiKey } = context;
    // An accepted key leads to 404, because the run does not exist.
    const path = `/v1/status/${nobody}`;
    expectStatus(await anonymous.send('GET', path, { headers: { APIKEY: apiKey } }), 404);
    const elsewhere = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey, cookie: `apikey=${apiKey}` };
    for (const [name, value] of Object.entries(elsewhere)) expectStatus(await anonymous.send('GET', path, { headers: { [name]: value } }), 401);
    expectStatus(await anonymous.send('GET', `${path}?apikey=${apiKey}`), 401);
  }),
  row('A5', 'a second key of the organization sees its runs', async (fixture) => {
    const { run_id: runId } = await fixture.failed();
    const further = fixture.client.withKey(await furtherKey(fixture, ['video:read']));
    assert.equal(expectStatus(await further.status(runId), 200).json<RunRecord>().run_id, runId);
  }),
  row('A5', 'a key of another organization cannot see, cancel or use the runs of this organization', async (fixture) => {
    const { record } = await fixture.completed();
    const other = fixture.client.withKey(await furtherKey(fixture, ['admin'], 'new'));
    expectStatus(await other.status(record.run_id), 404);
    expectStatus(await other.cancel(record.run_id), 404);
    const { run_id: runId } = await other.begin({ media_url: fixture.mediaUrl(), options: smallOptions, cache_id: record.run_id });
    const run = await other.untilStatus(runId, ({ cache }) => cache.hit !== null);
    await other.cancel(runId);
    assert.deepEqual(run.cache, { id: record.run_id, hit: false });
    assert.equal(run.warnings[0]?.code, 'cache-unknown');
  }),
  row('A6', 'a key with video:read cannot create or cancel runs; a key with video:write cannot read runs', async (fixture) => {
    const { run_id: runId } = await fixture.failed();
    const reader = fixture.client.withKey(await furtherKey(fixture, ['video:read']));
    expectStatus(await reader.status(runId), 200);
    for (const refused of [await reader.create({ media_url: fixture.wrongUrl() }), await reader.cancel(runId)]) {
      assert.equal(expectStatus(refused, 403).json<{ code: string }>().code, 'missing-scope');
    }
    const writer = fixture.client.withKey(await furtherKey(fixture, ['video:write']));
    expectStatus(await writer.cancel(runId), 200);
    expectStatus(await writer.status(runId), 403);
  }),
];
