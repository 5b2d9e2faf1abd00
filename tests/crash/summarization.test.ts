import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { Client, hasEnded, type RunRecord } from '../../packages/video/conformance/client.ts';
import { makeFixture } from '../../packages/video/engine/testing/clips/makeFixture.ts';
import { MediaTestServer } from '../../packages/video/testing/mediaTestServer.ts';
import { listScratch, makePlace, removePlace, startServe, stopService, urlOf, waitUntil } from './harness/place.ts';
import { findEngine, killAll, processTree, untilGone, type ProcessMark } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

const options = { duration: 2, width: 96, height: 54, analysis: 'accurate', outputs: ['mp4', 'poster'] };

/** All tests share one server and folder; each test kills the server during separate runs. */
describe.skipIf(process.platform !== 'linux')('a summarization under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  let media: MediaTestServer;
  let service: Service;
  let client: Client;

  const start = async (): Promise<void> => {
    service = await startServe(place, { environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: media.address, VOUCH_VIDEO_THREADS: '1' } });
  };

  beforeAll(async () => {
    media = await MediaTestServer.start();
    await media.serve('/film.mp4', await makeFixture({ seconds: 6, cuts: [2, 4] }));
    place = await makePlace();
    await start();
    client = new Client(urlOf(place), place.key);
  });
  afterEach(() => waitUntil('the scratch folder is empty', async () => (await listScratch(place)).length === 0));
  afterAll(async () => {
    expect(await stopService(service)).toBe(0);
    await removePlace(place);
    await media.close();
  });

  const begin = async (): Promise<string> => (await client.begin({ media_url: `${media.url}/film.mp4`, options })).run_id;
  const statusOf = async (runId: string): Promise<RunRecord> => (await client.status(runId)).json<RunRecord>();

  async function untilStage(runId: string, stage: string): Promise<void> {
    await waitUntil(`${runId} is in the stage ${stage}`, async () => {
      const record = await statusOf(runId);
      if (hasEnded(record)) throw new Error(`the run has ended: ${JSON.stringify(record)}`);
      return record.stage === stage;
    });
  }

  async function killAndRestart(victims: (tree: ProcessMark[]) => ProcessMark[]): Promise<void> {
    const tree = processTree(service.processId);
    killAll(victims(tree));
    await service.ended;
    await start();
    await untilGone(tree);
  }

  /** A completed run must have all of its files, each complete; any other run must have none. */
  async function expectTrue(record: RunRecord): Promise<void> {
    if (record.status !== 'completed') return expect(record.outputs).toEqual([]);
    expect(record.outputs.map(({ kind }) => kind).toSorted()).toEqual(['mp4', 'poster']);
    for (const { url, bytes } of record.outputs) expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(bytes);
  }

  exhaustiveTest.each([
    ['server, engine and database died together', 'analyse', (tree: ProcessMark[]) => tree],
    ['the server alone died, which leaves no process behind', 'render', (tree: ProcessMark[]) => tree.slice(0, 1)],
  ] as const)('is taken over behind its last finished stage after %s', async (_name, stage, victims) => {
    const fetched = media.count('GET', '/film.mp4');
    const runId = await begin();
    await untilStage(runId, stage);
    await killAndRestart(victims);
    const record = await client.untilStatus(runId);
    expect([record.status, record.error]).toEqual(['completed', null]);
    expect(media.count('GET', '/film.mp4')).toBe(fetched + 1);
    await expectTrue(record);
  });

  exhaustiveTest('goes on in the same server after its engine died', async () => {
    const runId = await begin();
    await untilStage(runId, 'analyse');
    await waitUntil('the engine runs', async () => findEngine(service.processId) !== undefined);
    killAll([findEngine(service.processId)].filter((engine) => engine !== undefined));
    const record = await client.untilStatus(runId);
    expect([record.status, record.error]).toEqual(['completed', null]);
    await expectTrue(record);
  });

  exhaustiveTest('of an upload has every byte that was acknowledged before the server died in the middle of the next part', async () => {
    const film = await readFile(await makeFixture({ seconds: 6, cuts: [2, 4] }));
    const half = Math.floor(film.length / 2);
    const tus = { apikey: place.key, 'tus-resumable': '1.0.0' };
    const created = await fetch(`${urlOf(place)}/v1/uploads`, { method: 'POST', headers: { ...tus, 'upload-length': String(film.length) } });
    const { upload_id: id } = await created.json() as { upload_id: string };
    const url = `${urlOf(place)}/v1/uploads/${id}`;
    const append = async (offset: number, bytes: Uint8Array): Promise<number> => (await fetch(url, {
      method: 'PATCH', headers: { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }, body: new Uint8Array(bytes),
    })).status;
    expect(await append(0, film.subarray(0, half))).toBe(204);
    const socket = connect(place.port, '127.0.0.1');
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => {
      socket.write(`PATCH /v1/uploads/${id} HTTP/1.1\r\nHost: x\r\napikey: ${tus.apikey}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: ${half}\r\n` +
        `Content-Type: application/offset+octet-stream\r\nContent-Length: ${film.length - half}\r\n\r\nlost`, () => resolve());
    });
    await killAndRestart((tree) => tree);
    socket.destroy();
    const head = await fetch(url, { method: 'HEAD', headers: tus });
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(half)]);
    expect(await append(half, film.subarray(half))).toBe(204);
    const record = await client.untilStatus((await client.begin({ media_url: `upload:${id}`, options })).run_id);
    expect([record.status, record.error, record.source?.bytes]).toEqual(['completed', null, film.length]);
    await expectTrue(record);
  });

  exhaustiveTest('ends in a true state, whatever is cancelled and killed meanwhile', async () => {
    const runs = await Promise.all(Array.from({ length: 5 }, begin));
    const [cancelledWaiting = '', cancelledLater = ''] = runs.slice(3);
    await client.cancel(cancelledWaiting);
    for (let kills = 0; kills < 2; kills += 1) {
      await waitUntil('a run is in work', async () => (await Promise.all(runs.map(statusOf))).some(({ status, stage }) => status === 'running' && stage !== 'download'));
      if (kills === 1) await client.cancel(cancelledLater);
      await killAndRestart((tree) => tree);
    }
    const records = await Promise.all(runs.map((runId) => client.untilStatus(runId)));
    const states = records.map(({ status }) => status);
    expect(states).toEqual(['completed', 'completed', 'completed', 'cancelled', 'cancelled']);
    for (const record of records) await expectTrue(record);
  });
});
