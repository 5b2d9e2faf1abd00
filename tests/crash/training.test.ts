import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import {
  askModel, clientOf, listScratch, makePlace, findJob, removePlace, startServe, stopService, storedStages, trainUntil,
  uploadCatalogue, waitUntil, withoutChoice,
} from './harness/place.ts';
import { findPostgres, findTraining, killAll, processTree, untilGone, type ProcessMark } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

const whole = ['snapshot', 'arrays', 'factors', 'neighbours', 'evaluate', 'write'];

/** All tests share one server and folder; each test kills processes during the training of a separate model. */
describe.skipIf(!exhaustive || process.platform !== 'linux')('a training under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  let service: Service;
  let answer = '';

  beforeAll(async () => {
    place = await makePlace();
    service = await startServe(place);
    const client = clientOf(place);
    await uploadCatalogue(client);
    expect(await client.train('previous', withoutChoice)).toMatchObject({ status: 'completed' });
    answer = await askModel(client, 'previous');
  });
  afterEach(async () => {
    await waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0);
    expect(await askModel(clientOf(place), 'previous')).toBe(answer);
  });
  afterAll(async () => {
    expect(await stopService(service)).toBe(0);
    await removePlace(place);
  });

  /** Kills processes in the stage `neighbours`, restarts at once, and returns the end of the training. */
  async function killAndRestart(modelId: string, victims: (tree: ProcessMark[]) => ProcessMark[]) {
    await trainUntil(clientOf(place), modelId, 'neighbours');
    const tree = processTree(service.processId);
    expect(tree.length).toBeGreaterThan(5);
    killAll(victims(tree));
    await service.ended;
    service = await startServe(place);
    await untilGone(tree);
    expect(await askModel(clientOf(place), 'previous')).toBe(answer);
    return clientOf(place).untilEnded(modelId);
  }

  it('is taken over at its last finished stage after server, training and database died together', async () => {
    const record = await killAndRestart('all-killed', (tree) => tree);
    expect(record).toMatchObject({ status: 'completed', error: null });
    const job = await findJob(place, 'all-killed');
    expect(job.attempt).toBe(2);
    expect(Object.keys(job.checkpoints).toSorted()).toEqual(whole.toSorted());
    expect(storedStages(service, job.id)).toEqual(['neighbours']);
  });

  it('is taken over after the server alone died, which leaves no process behind, while the version before it answers', async () => {
    const { id: before } = await findJob(place, 'previous');
    const record = await killAndRestart('previous', (tree) => tree.slice(0, 1));
    expect(record).toMatchObject({ status: 'completed', error: null });
    const job = await findJob(place, 'previous');
    expect(job.id).not.toBe(before);
    expect(job.attempt).toBe(2);
    expect(storedStages(service, job.id)).toEqual(['neighbours']);
  });

  it('goes on in the same server after its own process died', async () => {
    const client = clientOf(place);
    await trainUntil(client, 'child-killed', 'neighbours');
    const child = findTraining(service.processId);
    expect(child).toBeDefined();
    killAll(child === undefined ? [] : [child]);
    expect(await client.untilEnded('child-killed')).toMatchObject({ status: 'completed', error: null });
    const job = await findJob(place, 'child-killed');
    expect(job.attempt).toBe(2);
    expect(storedStages(service, job.id)).toEqual(['arrays', 'factors', 'neighbours']);
  });

  it('ends, and the server comes back by itself, after PostgreSQL died', async () => {
    const client = clientOf(place);
    await trainUntil(client, 'database-killed', 'neighbours');
    const postgres = findPostgres(service.processId);
    killAll(postgres);
    await untilGone(postgres);
    await waitUntil('the server is ready again', async () => (await client.get('/readyz')).status === 200);
    expect(await client.untilEnded('database-killed')).toMatchObject({ status: 'completed', error: null });
    const stored = storedStages(service, (await findJob(place, 'database-killed')).id);
    // The interrupted stage may run again; completed stages may not.
    expect(stored.slice(0, 2)).toEqual(['arrays', 'factors']);
    expect(new Set(stored.slice(2))).toEqual(new Set(['neighbours']));
  });

  it('uses the data that it began with, although it was deleted and its process had to begin again', async () => {
    const client = clientOf(place);
    await trainUntil(client, 'data-deleted', 'arrays');
    const deleted = await fetch(`http://127.0.0.1:${place.port}/v1/recommender/data_batch?tags=catalogue`, {
      method: 'DELETE', headers: { apikey: place.key },
    });
    expect([deleted.status, ((await deleted.json()) as unknown[]).length]).toEqual([200, 2]);
    const child = findTraining(service.processId);
    if (child !== undefined) killAll([child]);
    expect(await client.batches()).toEqual([]);
    expect(await client.untilEnded('data-deleted')).toMatchObject({ status: 'completed', error: null });
    expect(await askModel(client, 'data-deleted')).toBe(answer);
    expect(await client.train('nothing-left', withoutChoice)).toMatchObject({ status: 'error', error: { code: 'no-usable-data' } });
  });
});
