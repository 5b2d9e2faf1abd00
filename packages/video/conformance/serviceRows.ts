import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import { fetchWhole } from '@vouch/platform/outbound/fetchWhole';
import type { ConformanceRow } from '@vouch/platform/product/product';
import { createPath, hasEnded, type RunRecord } from './client.ts';
import { row, smallOptions } from './fixture.ts';

const section = 'What the service does';

/** The service as a whole, its paths, states and version. */
export const serviceRows: readonly ConformanceRow[] = [
  row(section, 'starts a summarization run for a video given by its URL', async ({ completed, client }) => {
    const preview = completed.outputs.find(({ kind }) => kind === 'mp4');
    assert.ok(preview !== undefined, 'the run made no preview');
    const file = await fetchWhole(preview.url);
    assert.equal(file.status, 200);
    const bytes = Buffer.from(await file.arrayBuffer());
    assert.equal(bytes.length, preview.bytes);
    assert.equal(bytes.subarray(4, 8).toString('latin1'), 'ftyp', 'the preview is no MP4 file');
    assert.ok(client.baseUrl === new URL(preview.url).origin, 'the link should lead to the service');
  }),
  row(section, 'reports the status of a run by its run id', async ({ client, completed }) => {
    assert.equal(expectStatus(await client.status(completed.run_id), 200).json<RunRecord>().run_id, completed.run_id);
  }),
  row(section, 'cancels a run', async ({ client, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl, options: smallOptions });
    expectStatus(await client.cancel(runId), 200);
    assert.equal((await client.untilStatus(runId)).status, 'cancelled');
  }),
  row('Resources / Summarization run', 'a run is identified by run_id, which is text, another for each run', async ({ completed, failed }) => {
    assert.equal(typeof completed.run_id, 'string');
    assert.notEqual(completed.run_id, failed.run_id);
  }),
  row('States and transitions', 'a run is ongoing before it has ended', async ({ started }) => {
    const record = started.json<RunRecord>();
    assert.ok(['queued', 'running'].includes(record.status), `the status is ${record.status}`);
    assert.equal(record.completed_at, null);
  }),
  row('States and transitions', 'a successful run ends as completed', async ({ completed }) => {
    assert.equal(completed.status, 'completed');
    assert.equal(completed.progress, 1);
    assert.equal(completed.error, null);
    assert.ok(completed.segments.length > 0 && completed.outputs.length > 0, 'a completed run has segments and outputs');
    assert.ok(completed.started_at !== null && completed.completed_at !== null, 'the times of the run are missing');
  }),
  row('States and transitions', 'an unsuccessful run ends as error, with the reason', async ({ failed }) => {
    assert.ok(hasEnded(failed));
    assert.equal(failed.status, 'error');
    assert.ok((failed.error?.detail ?? '') !== '', 'the reason is missing');
    assert.deepEqual(failed.outputs, []);
  }),
  row('Versioning', 'the paths of video summarization begin with v1, as written', async ({ client, completed, mediaUrl }) => {
    expectStatus(await client.status(completed.run_id), 200);
    for (const prefix of ['', '/v2']) {
      expectStatus(await client.send('GET', `${prefix}/status/${completed.run_id}`), 404);
      expectStatus(await client.send('GET', `${prefix}/cancel/${completed.run_id}`), 404);
    }
    for (const path of ['/v1/video-summarization/create', '/video-summarization/create', '/v2video-summarization/create', `${createPath}/`]) {
      expectStatus(await client.send('POST', path, { body: { media_url: mediaUrl } }), 404);
    }
  }),
];
