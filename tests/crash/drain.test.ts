import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import {
  clientOf, listScratch, makePlace, findJob, removePlace, roundsShape, runVouch, startServe, stopService, trainUntil, uploadCatalogue, urlOf,
  waitUntil, withoutChoice,
} from './harness/place.ts';
import { findServer, processTree, untilGone } from './harness/processTree.ts';
import type { Service } from './harness/service.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

describe.skipIf(process.platform !== 'linux')('SIGTERM to vouch serve (needs /proc)', () => {
  let place: VouchPlace;
  let service: Service;

  beforeAll(async () => {
    place = await makePlace();
    service = await startServe(place);
    await uploadCatalogue(clientOf(place));
    expect(await clientOf(place).train('model', { ...withoutChoice, data_tags: ['catalogue'] })).toMatchObject({ status: 'completed' });
  });
  afterAll(async () => {
    await stopService(service);
    await removePlace(place);
  });

  /** Requests the items of every entity with reasons: 8 MB, more than the buffers of a connection hold (4 MB on Linux). */
  async function openStream(): Promise<IncomingMessage> {
    const sending = request(`${urlOf(place)}/v1/recommender/related_items?model_id=model&output_format=json&explain=true&max_recommendations=20`, { headers: { apikey: place.key } });
    sending.end();
    return new Promise((resolve, reject) => sending.once('response', resolve).once('error', reject));
  }

  exhaustiveTest('finishes open streams, refuses new requests, gives the training back, leaves no process, exits with 0, and frees the folder', async () => {
    const complete = await collectRecommendations(await openStream());
    expect(complete.length).toBeGreaterThan(7_000_000);
    // The drain takes about a second. With the choice of a setting, the stage takes longer on the larger catalogue, and sometimes less on the small one.
    await uploadCatalogue(clientOf(place), roundsShape, 'larger');
    await trainUntil(clientOf(place), 'given-back', 'factors', { data_tags: ['larger'] });
    const stream = await openStream();
    expect(stream.statusCode).toBe(200);
    const tree = processTree(service.processId);
    process.kill(service.processId, 'SIGTERM');
    await waitUntil('new requests are refused', async () => (await fetch(`${urlOf(place)}/readyz`)).status === 503);
    expect(await askOverNewConnection(place)).toMatchObject({ status: 503, body: { code: 'draining' } });
    expect((await collectRecommendations(stream)) === complete).toBe(true);
    expect(await service.ended).toBe(0);
    await untilGone(tree);
    expect(await listScratch(place)).toEqual([]);
    const stops = service.output().split('\n').filter((line) => line.includes('"stopped"')).map((line) => JSON.parse(line) as object);
    expect(stops).toMatchObject([{ level: 'info', because: 'SIGTERM', requests_cut_off: 0, jobs_given_back: 1, drain_ms: expect.any(Number) }]);

    service = await startServe(place);
    expect(await clientOf(place).untilEnded('given-back')).toMatchObject({ status: 'completed', error: null });
    expect((await findJob(place, 'given-back')).attempt).toBe(1);
  });

  exhaustiveTest('lets a second server on the same folder say who holds it and end with 5, and the first goes on', async () => {
    const second = await runVouch(place, ['serve'], { PORT: '0', VOUCH_LOG_LEVEL: 'info' });
    expect(await second.ended).toBe(exitCodes.busy);
    expect(sentences(second)).toEqual([expect.stringContaining(`The data folder ${place.folder} is in use by process ${findServer(service.processId)} on `)]);
    expect((await clientOf(place).get('/readyz')).status).toBe(200);
  });

  exhaustiveTest('lets a server on a port in use say so and end with 5', async () => {
    const other = await makePlace();
    const second = await runVouch({ ...other, port: place.port }, ['serve'], { VOUCH_LOG_LEVEL: 'info' });
    const tree = processTree(second.processId);
    expect(await second.ended).toBe(exitCodes.busy);
    expect(sentences(second)).toEqual([expect.stringContaining(`Port ${place.port} of 127.0.0.1 is in use by another program. Set PORT`)]);
    await untilGone(tree);
    expect((await clientOf(place).get('/readyz')).status).toBe(200);
    await removePlace(other);
  });
});

async function askOverNewConnection(place: VouchPlace): Promise<{ status: number | undefined; body: unknown }> {
  const sending = request(`${urlOf(place)}/v1/recommender/model/status`, { agent: false, headers: { apikey: place.key } }).end();
  const [answer] = await once(sending, 'response') as [IncomingMessage];
  return { status: answer.statusCode, body: await json(answer) };
}

/** Returns the output for people, without log lines. */
function sentences(service: Service): string[] {
  return service.output().split('\n').filter((line) => line !== '' && !line.startsWith('{'));
}

/**
 * Returns the response body.
 * @throws Error if the stream is cut off
 */
async function collectRecommendations(stream: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) text += chunk as string;
  expect(stream.complete).toBe(true);
  return text.slice(text.indexOf('"model_id"'));
}
