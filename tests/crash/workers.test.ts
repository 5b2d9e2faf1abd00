import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import {
  askModel, clientOf, listScratch, makePlace, findJob, removePlace, runVouch, startServe, stopService, storedStages, trainUntil,
  uploadCatalogue, waitUntil,
} from './harness/place.ts';
import { findTraining, processTree, untilGone } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

describe.skipIf(process.platform !== 'linux')('vouch serve --no-worker with two vouch workers over one database (needs /proc)', () => {
  let place: VouchPlace;
  let database: TestDatabase;
  let server: Service;
  let workers: Service[] = [];

  beforeAll(async () => {
    place = await makePlace();
    database = await openTestDatabase();
    const environment = { DATABASE_URL: database.connectionString };
    server = await startServe(place, { arguments: ['--no-worker'], environment });
    workers = await Promise.all([1, 2].map(() => runVouch(place, ['worker'], environment)));
    for (const worker of workers) await waitUntil('the worker works', async () => worker.output().includes('Working on'));
    await uploadCatalogue(clientOf(place));
  });
  afterAll(async () => {
    for (const service of [server, ...workers]) await stopService(service);
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

  exhaustiveTest('takes up the work of a worker that is told to stop without counting an attempt', async () => {
    const client = clientOf(place);
    const idle = await runVouch(place, ['worker'], { DATABASE_URL: database.connectionString });
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
