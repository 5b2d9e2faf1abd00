import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { uploadCatalogue, trainCatalogue } from '../../bench/harness/uploadCatalogue.ts';
import { expectStatus } from '../../bench/harness/vouchClient.ts';
import { fetchSourceIds } from '../../bench/serving/fetchStream.ts';
import { fitSlope, type Point, type Slope } from './fitSlope.ts';
import { expectTrue, withVouch, type HeavyTest, type RunningVouch } from './heavyTest.ts';

const minutes = Number(process.env['VOUCH_TEST_STEADY_MINUTES'] ?? '10');
/** Share of the time in which caches fill, so that samples do not count. */
const warmupShare = 0.3;
const sampleMs = 1_000;
const trainingEveryMs = 60_000;
const clients = 4;
const shape = { items: 500, users: 2_000, interactions: 40_000, seed: 1 };
const modelId = 'steady';
const hourMs = 3_600_000;
/** Growth per hour that counts as none: a share of the retained memory, and a number of descriptors. */
const flatMemoryShare = 0.05;
const flatDescriptors = 5;

interface Samples {
  /** Resident memory in MB. It follows the garbage that V8 has not collected yet, so it is reported and not judged. */
  resident: Point[];
  descriptors: Point[];
}

/** Loads a server with requests of many kinds, also ones that fail or whose client leaves, and with trainings, and samples its memory and descriptors. */
export const steady: HeavyTest = {
  name: 'steady',
  guarantee: 'the memory that a server retains and its open descriptors stay flat under mixed load (slope with its 95 % interval)',
  variables: ['VOUCH_TEST_STEADY_MINUTES'],
  skip: async () => (process.platform === 'linux' ? null : 'needs /proc'),
  async run(print) {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-steady-'));
    const retained = join(folder, 'retained');
    const environment = {
      VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'error', VOUCH_TEST_MEMORY: retained,
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('retainedMemory.mjs', import.meta.url))}`,
    };
    try {
      await withVouch((running) => loadSteadily(running, retained, print), { environment });
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function loadSteadily(running: RunningVouch, retained: string, print: (line: string) => void): Promise<void> {
  await uploadCatalogue(running.client, shape);
  await trainCatalogue(running.client, modelId, { parameters: { setting: 'default' } });
  const { server } = running;
  const ids = await fetchSourceIds(server.url, server.key, modelId);
  const end = performance.now() + minutes * 60_000;
  const ended = (): boolean => performance.now() >= end;
  const requests = { sent: 0 };
  const [samples] = await Promise.all([
    takeSamples(server.url, ended), retrain(running, ended), ...Array.from({ length: clients }, (_, client) => load(running, ids, client, requests, ended)),
  ]);
  const warm = (points: Point[]): Point[] => points.filter(({ x }) => x >= (points[0]?.x ?? 0) + warmupShare * minutes * 60_000);
  const memory = warm(await readRetained(retained));
  const [memorySlope, descriptorSlope] = [fitSlope(memory), fitSlope(warm(samples.descriptors))];
  const megabytes = memory.reduce((sum, { y }) => sum + y, 0) / memory.length;
  const resident = samples.resident.map(({ y }) => y);
  print(`${minutes} minutes, ${requests.sent} requests, ${megabytes.toFixed(1)} MB retained: ${describe(memorySlope, 'MB')}, ${describe(descriptorSlope, 'descriptors')}; resident at most ${Math.round(Math.max(...resident))} MB`);
  expectTrue(`memory grows: ${describe(memorySlope, 'MB')}`, memorySlope.low <= 0 || memorySlope.slope * hourMs <= flatMemoryShare * megabytes);
  expectTrue(`descriptors grow: ${describe(descriptorSlope, 'descriptors')}`, descriptorSlope.low <= 0 || descriptorSlope.slope * hourMs <= flatDescriptors);
}

function describe({ slope, low, high }: Slope, unit: string): string {
  const [each, least, most] = [slope, low, high].map((value) => (value * hourMs).toFixed(1));
  return `${each} ${unit}/h (95 %: ${least} to ${most})`;
}

async function takeSamples(url: string, ended: () => boolean): Promise<Samples> {
  const samples: Samples = { resident: [], descriptors: [] };
  while (!ended()) {
    const text = await (await fetch(`${url}/metrics`)).text();
    const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
    const x = performance.now();
    samples.resident.push({ x, y: valueOf('process_resident_memory_bytes') / 2 ** 20 });
    samples.descriptors.push({ x, y: valueOf('process_open_fds') });
    await sleep(sampleMs);
  }
  return samples;
}

/** Reads what the preloaded module wrote: ms and MB. */
async function readRetained(file: string): Promise<Point[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => line.split(' ').map(Number)).map(([x = 0, bytes = 0]) => ({ x, y: bytes / 2 ** 20 }));
}

async function retrain({ client }: RunningVouch, ended: () => boolean): Promise<void> {
  while (!ended()) {
    const due = performance.now() + trainingEveryMs;
    await trainCatalogue(client, modelId, { parameters: { setting: 'default' } });
    while (performance.now() < due && !ended()) await sleep(200);
  }
}

/** Sends requests one after another: answers of each kind, failures, uploads that are deleted again, and streams whose client leaves. */
async function load({ server, client }: RunningVouch, ids: readonly string[], number: number, requests: { sent: number }, ended: () => boolean): Promise<void> {
  const headers = { apikey: server.key };
  const lists = (query: string): string => `/v1/recommender/related_items?model_id=${modelId}${query}`;
  for (let round = 0; !ended(); round += 1) {
    const id = encodeURIComponent(ids[(round * clients + number) % ids.length] ?? '');
    for (const path of [lists(`&entity_id=${id}`), lists(`&entity_id=${id}&output_format=json&filter=${encodeURIComponent('item.category != "none"')}`), `/v1/recommender/${modelId}/status`]) {
      expectStatus(await client.get(path), 200);
    }
    expectStatus(await client.post('/v1/recommender/recommend', { model_id: modelId, entity_id: decodeURIComponent(id) }), 200);
    expectStatus(await client.post('/v1/recommender/interactions', { interactions: [{ id: 'always the same', type: 'view', source_id: 'visitor', target_id: decodeURIComponent(id) }] }), 202);
    expectStatus(await client.get(lists('&entity_id=nobody')), 404);
    expectStatus(await client.post('/v1/recommender/recommend', { model: modelId }), 422);
    await (await fetch(`${server.url}/v1/recommender/data_batch`, { headers: { apikey: 'wrong', connection: 'close' } })).arrayBuffer();
    await leaveStream(server.url + lists(''), headers);
    requests.sent += 9;
    if (round % 10 === 0) {
      const tag = `steady-${number}`;
      expectStatus(await client.upload([{ name: 'rows.csv', content: ['id,type,name,metadata,media_url\n', `extra-${number},item,,,\n`] }], [tag]), 201);
      expectStatus(await fetch(`${server.url}/v1/recommender/data_batch?tags=${tag}`, { method: 'DELETE', headers }).then(async (answer) => ({ status: answer.status, body: await answer.text() })), 200);
      requests.sent += 2;
    }
  }
}

/** Reads the first piece of a long answer and disconnects. */
async function leaveStream(url: string, headers: Record<string, string>): Promise<void> {
  const left = new AbortController();
  const answer = await fetch(url, { headers, signal: left.signal });
  await answer.body?.getReader().read();
  left.abort();
}
