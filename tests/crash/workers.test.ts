import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import {
  askModel, clientOf, listScratch, makePlace, findJob, removePlace, runVouch, startServe, stopService, storedStages, trainUntil,
  uploadCatalogue, urlOf, waitUntil,
} from './harness/place.ts';
import { Client } from '../../packages/video/conformance/client.ts';
import { parseSubtitles } from '../../packages/video/engine/selection/subtitles.ts';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../packages/video/testing/mediaTestServer.ts';
import { TranscriptionTestServer } from '../../packages/video/testing/transcriptionTestServer.ts';
import { findEngine, findTraining, processTree, untilGone } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

describe.skipIf(process.platform !== 'linux')('vouch serve --no-worker with two vouch workers over one database (needs /proc)', () => {
  let place: VouchPlace;
  let database: TestDatabase;
  let server: Service;
  let workers: Service[] = [];
  let environment: Record<string, string>;
  let media: MediaTestServer;
  let recognizer: TranscriptionTestServer;

  beforeAll(async () => {
    place = await makePlace();
    database = await openTestDatabase();
    media = await MediaTestServer.start();
    recognizer = await TranscriptionTestServer.start();
    environment = { DATABASE_URL: database.connectionString, VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address, VOUCH_VIDEO_TRANSCRIPTION_URL: recognizer.url };
    server = await startServe(place, { arguments: ['--no-worker'], environment });
    workers = await Promise.all([1, 2].map(() => runVouch(place, ['worker'], environment)));
    for (const worker of workers) await waitUntil('the worker works', async () => worker.output().includes('Working on'));
    await uploadCatalogue(clientOf(place));
  });
  afterAll(async () => {
    for (const service of [server, ...workers]) await stopService(service);
    await media.close();
    await recognizer.close();
    await database.close();
    await removePlace(place);
  });

  exhaustiveTest('hands the training of a killed worker to the other one, which repeats no finished stage', async () => {
    const client = clientOf(place);
    await trainUntil(client, 'taken-over', 'neighbours');
    const before = await findJob(place, 'taken-over', database.connectionString);
    expect(processTree(server.processId).some(({ command }) => command.includes('train.child'))).toBe(false);
    const [holder, ...more] = workers.filter(({ processId }) => findTraining(processId) !== undefined);
    expect(more).toEqual([]);
    if (holder === undefined) throw new Error('no worker has the training');
    const other = workers.find((worker) => worker !== holder) as Service;
    const tree = processTree(holder.processId);
    await holder.kill();
    await untilGone(tree);
    expect(await client.untilEnded('taken-over')).toMatchObject({ status: 'completed', error: null });
    const job = await findJob(place, 'taken-over', database.connectionString);
    expect([before.attempt, job.attempt]).toEqual([1, 2]);
    expect(job.checkpoints).toMatchObject(before.checkpoints);
    expect(Object.keys(before.checkpoints).toSorted()).toEqual(['arrays', 'factors', 'snapshot']);
    expect(storedStages(holder, job.id)).toEqual(['arrays', 'factors']);
    expect(storedStages(other, job.id)).toEqual(['neighbours']);
    expect(await askModel(client, 'taken-over')).toContain('i0,');
    await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
  });

  exhaustiveTest('continues the transcription of a killed worker behind its last finished part', async () => {
    const client = new Client(urlOf(place), place.key);
    const seconds = 140;
    const tone = { from: 10, to: 130 };
    const film = await media.serve('/talk.mp4', await makeFixture({ width: 96, height: 54, framesPerSecond: 5, seconds, sound: { ...tone, part: false } }));
    recognizer.refusals.push(null, { status: 0, body: '' });
    const { run_id: id } = await client.begin({ media_url: film, options: { duration: seconds, analysis: 'fast', outputs: ['captions'] } });
    await waitUntil('the second part is sent', async () => recognizer.calls.length === 2);
    const holder = workers.find(({ processId }) => findEngine(processId) !== undefined);
    if (holder === undefined) throw new Error('no worker has the run');
    const tree = processTree(holder.processId);
    await holder.kill();
    await untilGone(tree);
    workers.push(await runVouch(place, ['worker'], environment));
    const record = await client.untilStatus(id);
    expect([record.status, record.error, record.warnings]).toEqual(['completed', null, []]);
    const [first, rest, ...more] = recognizer.calls.map((call) => call.seconds);
    expect(first! + rest!).toBeCloseTo(seconds, 1);
    expect(more).toEqual([rest]);
    const captions = await (await client.file(record.outputs[0]?.url ?? '')).text();
    const heard = parseSubtitles(captions).map(({ start, end, text }) => [Math.round(start), Math.round(end), text]);
    expect(heard).toEqual([[tone.from, Math.round(first!), 'a tone'], [Math.round(first!), tone.to, 'a tone']]);
  });

  exhaustiveTest('takes up the work of a worker that is told to stop without counting an attempt', async () => {
    const client = clientOf(place);
    const idle = await runVouch(place, ['worker'], environment);
    workers.push(idle);
    await waitUntil('the worker works', async () => idle.output().includes('Working on'));
    await trainUntil(client, 'given-back', 'neighbours');
    const holder = workers.find(({ processId }) => findTraining(processId) !== undefined);
    if (holder === undefined) throw new Error('no worker has the training');
    expect(await stopService(holder)).toBe(0);
    expect(await client.untilEnded('given-back')).toMatchObject({ status: 'completed', error: null });
    const job = await findJob(place, 'given-back', database.connectionString);
    expect(job.attempt).toBe(1);
    expect(workers.filter((worker) => worker !== holder).flatMap((worker) => storedStages(worker, job.id))).toEqual(['neighbours']);
  });
});
