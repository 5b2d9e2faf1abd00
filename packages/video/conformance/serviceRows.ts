import { expectStatus } from '@vouch/platform/conformance/client';
import assert from 'node:assert/strict';
import type { ConformanceRow } from '@vouch/platform/conformance/context';
import { createPath, hasEnded, type RunRecord } from './client.ts';
import { row, smallOptions } from './fixture.ts';

/** Rows about the whole service: its paths, states and version. */
export const serviceRows: readonly ConformanceRow[] = [
  row('S4', 'the preview of a video is an MP4 file of the size in its record', async ({ completed, client }) => {
    const { run_id: runId } = (await completed()).record;
    const { outputs } = expectStatus(await client.status(runId), 200).json<RunRecord>();
    const preview = outputs.find(({ kind }) => kind === 'mp4');
    assert.ok(preview !== undefined, 'the run made no preview');
    assert.equal(new URL(preview.url).origin, client.baseUrl, 'the link should lead to the service');
    const file = await client.file(preview.url);
    assert.equal(file.status, 200);
    const bytes = Buffer.from(await file.arrayBuffer());
    assert.equal(bytes.length, preview.bytes);
    assert.equal(bytes.subarray(4, 8).toString('latin1'), 'ftyp', 'the preview is no MP4 file');
  }),
  row('S5', 'the returned record has the requested id', async ({ client, completed }) => {
    const { run_id: runId } = (await completed()).record;
    assert.equal(expectStatus(await client.status(runId), 200).json<RunRecord>().run_id, runId);
  }),
  row('S6', 'a new run is cancelled and ends with the status cancelled', async ({ client, mediaUrl }) => {
    const { run_id: runId } = await client.begin({ media_url: mediaUrl(), options: smallOptions });
    expectStatus(await client.cancel(runId), 200);
    assert.equal((await client.untilStatus(runId)).status, 'cancelled');
  }),
  row('V14', 'two runs of one video have two different ids, both strings', async ({ client, wrongUrl }) => {
    const ids = [(await client.begin({ media_url: wrongUrl() })).run_id, (await client.begin({ media_url: wrongUrl() })).run_id];
    for (const id of ids) assert.ok(typeof id === 'string' && id !== '', 'the id should be a string');
    assert.notEqual(ids[0], ids[1]);
  }),
  row('V15', 'a new run is queued or running, without an end', async ({ client, mediaUrl }) => {
    const record = await client.begin({ media_url: mediaUrl(), options: smallOptions });
    await client.cancel(record.run_id);
    assert.ok(['queued', 'running'].includes(record.status), `the status is ${record.status}`);
    assert.equal(record.completed_at, null);
  }),
  row('V16', 'the status is completed, with segments, outputs, start and end times, and no error', async ({ client, completed }) => {
    const record = expectStatus(await client.status((await completed()).record.run_id), 200).json<RunRecord>();
    assert.deepEqual([record.status, record.progress, record.error], ['completed', 1, null]);
    assert.ok(record.segments.length > 0 && record.outputs.length > 0, 'a completed run has segments and outputs');
    assert.ok(record.started_at !== null && record.completed_at !== null, 'the times of the run are missing');
  }),
  row('V17', 'the status of a run whose media is missing is error, with the reason and no output', async ({ client, failed }) => {
    const record = expectStatus(await client.status((await failed()).run_id), 200).json<RunRecord>();
    assert.ok(hasEnded(record));
    assert.equal(record.status, 'error');
    assert.ok((record.error?.detail ?? '') !== '', 'the reason is missing');
    assert.deepEqual(record.outputs, []);
  }),
  row('Z2', 'the three paths exist as written, and do not exist without v1, with v2 or with a further slash', async ({ client, failed }) => {
    const { run_id: runId } = await failed();
    expectStatus(await client.create({}), 422);
    for (const path of ['/v1/video-summarization/create', '/video-summarization/create', '/v2video-summarization/create', `${createPath}/`]) {
      expectStatus(await client.send('POST', path, { body: {} }), 404);
    }
    for (const name of ['status', 'cancel']) {
      expectStatus(await client.get(`/v1/${name}/${runId}`), 200);
      for (const prefix of ['', '/v2']) expectStatus(await client.get(`${prefix}/${name}/${runId}`), 404);
    }
  }),
];
