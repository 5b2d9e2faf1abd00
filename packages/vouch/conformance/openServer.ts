import { randomBytes } from 'node:crypto';
import { RowSkipped, type ConformanceContext } from '@vouch/platform/conformance/context';
import { fetchWhole, type Fetch, type FetchOptions } from '@vouch/platform/outbound/fetchWhole';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { CommandFault } from '../terminal/commandFault.ts';

export interface ServerToCheck {
  /** URL of the recommender and video interfaces; null if neither is checked. */
  url: string;
  gatewayUrl: string | null;
  /** Empty if only the gateway is checked. */
  apiKey: string;
  mediaUrl: string | null;
}

/** A server under check, and a record of what the checks created there. */
export interface OpenServer {
  context: ConformanceContext;
  /** Names of the operations that the key is not allowed to perform. */
  forbidden: readonly string[];
  /** Deletes what the checks created. `left` lists what the interface cannot delete. */
  tidy(): Promise<{ batchesDeleted: number; left: string[] }>;
}

/** A request without side effects. The response shows whether the key is allowed to use an endpoint. */
interface Probe {
  name: string;
  method: string;
  /** Matches the path of every request to the endpoint. */
  path: RegExp;
  ask: string;
  body?: string;
}

const nobody = '00000000-0000-4000-8000-000000000000';
const probes: readonly Probe[] = [
  { name: 'list batches', method: 'GET', path: /\/data_batch$/, ask: `/v1/recommender/data_batch?batch_id=${nobody}` },
  { name: 'upload batches', method: 'POST', path: /\/data_batch$/, ask: '/v1/recommender/data_batch', body: '{}' },
  { name: 'delete batches', method: 'DELETE', path: /\/data_batch$/, ask: `/v1/recommender/data_batch?batch_id=${nobody}` },
  { name: 'train', method: 'POST', path: /\/train$/, ask: '/v1/recommender/train', body: '{"maximum_interaction_age_days":"none"}' },
  { name: 'cancel trainings', method: 'POST', path: /\/v1\/recommender\/[^/]+\/cancel$/, ask: `/v1/recommender/${nobody}/cancel` },
  { name: 'read the status of models', method: 'GET', path: /\/v1\/recommender\/[^/]*\/status$/, ask: `/v1/recommender/${nobody}/status` },
  { name: 'query related items', method: 'GET', path: /\/related_items$/, ask: `/v1/recommender/related_items?model_id=${nobody}` },
  { name: 'query trending items', method: 'GET', path: /\/trending_items$/, ask: `/v1/recommender/trending_items?model_id=${nobody}` },
  { name: 'create runs', method: 'POST', path: /\/v1video-summarization\/create$/, ask: '/v1video-summarization/create', body: '{}' },
  { name: 'read the status of runs', method: 'GET', path: /^\/v1\/status\//, ask: `/v1/status/${nobody}` },
  { name: 'cancel runs', method: 'GET', path: /^\/v1\/cancel\//, ask: `/v1/cancel/${nobody}` },
];

/**
 * Paths of the gateway, which accepts messages without a key. The gateway has its own URL or shares the URL of the other
 * interfaces.
 */
const gatewayPath = /\/(?:explorer|gateway)/;

/** Longest accepted `retry-after` of a rate-limited response. */
const longestWaitSeconds = 60;
const triesMost = 5;

/**
 * Determines what the key is allowed to do on the server, and prepares the checks.
 * @throws Error if the server does not answer; CommandFault if the server rejects the key
 */
export async function openServer({ url, gatewayUrl, apiKey, mediaUrl }: ServerToCheck): Promise<OpenServer> {
  const baseUrl = url.replace(/\/+$/, '');
  const forbidden = new Map<Probe, number>();
  if (apiKey !== '') {
    for (const probe of probes) {
      const status = await statusOf(baseUrl, apiKey, probe);
      if (status === 401) throw new CommandFault(exitCodes.input, `${baseUrl} does not accept the key (401 at ${probe.method} ${probe.ask}). Check the key and the URL.`);
      if (status === 403) forbidden.set(probe, status);
    }
  }
  const made = { batches: new Set<string>(), models: new Set<string>(), runs: new Set<string>() };
  const through: Fetch = async (url, init = {}) => {
    const [target, method] = [new URL(url), init.method ?? 'GET'];
    const ours = new Headers(init.headers).get('apikey') === apiKey;
    for (const [probe, status] of forbidden) {
      if (ours && probe.method === method && probe.path.test(target.pathname)) throw new RowSkipped(`the key has no permission to ${probe.name} (${status})`);
    }
    if (apiKey === '' && !gatewayPath.test(target.pathname)) throw new RowSkipped('requires a key (--key)');
    const reply = await patiently(target, init);
    if (ours && reply.ok && reply.headers.get('content-type')?.startsWith('application/json')) note(made, method, target.pathname, await reply.clone().json());
    return reply;
  };
  const prefix = `vouch-conformance-${randomBytes(4).toString('hex')}`;
  return {
    forbidden: [...forbidden.keys()].map(({ name }) => name),
    context: {
      baseUrl, apiKey, prefix, mediaUrl, fetch: through, inHouse: null, kept: new Map(),
      gatewayUrl: gatewayUrl?.replace(/\/+$/, '') ?? null,
      disposable: apiKey !== '' && (await isEmpty(baseUrl, apiKey)),
    },
    tidy: () => tidy(baseUrl, apiKey, made),
  };
}

interface Made {
  batches: Set<string>;
  models: Set<string>;
  /** Ids of runs whose last known status is not final. */
  runs: Set<string>;
}

async function statusOf(baseUrl: string, apiKey: string, { method, ask, body }: Probe): Promise<number> {
  const headers = { apikey: apiKey, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const reply = await patiently(new URL(baseUrl + ask), { method, headers, ...(body === undefined ? {} : { body }) }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${baseUrl} does not answer: ${cause}. Check the URL, and that the server runs.`, { cause: error });
  });
  await reply.arrayBuffer();
  return reply.status;
}

async function isEmpty(baseUrl: string, apiKey: string): Promise<boolean> {
  const reply = await patiently(new URL(`${baseUrl}/v1/recommender/data_batch`), { headers: { apikey: apiKey } });
  const text = await reply.text();
  return reply.status === 200 && text.trim() === '[]';
}

/** Repeats a request that the server answered with 429, after the time in `retry-after`. */
async function patiently(url: URL, init: FetchOptions): Promise<Response> {
  for (let turn = 1; ; turn++) {
    const reply = await fetchWhole(url, init);
    const seconds = Number(reply.headers.get('retry-after') ?? Number.NaN);
    if (reply.status !== 429 || turn === triesMost || !(seconds <= longestWaitSeconds)) return reply;
    await reply.arrayBuffer();
    await systemInterfaces.timers.sleep(Math.max(1, seconds) * 1_000);
  }
}

function note(made: Made, method: string, path: string, body: unknown): void {
  const records = (Array.isArray(body) ? body : [body]) as { batch_id?: string; model_id?: string; run_id?: string; status?: string }[];
  for (const { batch_id: batch, model_id: model, run_id: run, status = '' } of records) {
    if (batch !== undefined && method === 'POST' && path.endsWith('/data_batch')) made.batches.add(batch);
    if (batch !== undefined && method === 'DELETE') made.batches.delete(batch);
    if (model !== undefined && method === 'POST' && path.endsWith('/train')) made.models.add(model);
    if (run !== undefined && path.endsWith('/create')) made.runs.add(run);
    if (run !== undefined && ['completed', 'error', 'cancelled'].includes(status)) made.runs.delete(run);
  }
}

async function tidy(baseUrl: string, apiKey: string, { batches, models, runs }: Made): Promise<{ batchesDeleted: number; left: string[] }> {
  const headers = { apikey: apiKey };
  const left: string[] = [];
  let batchesDeleted = 0;
  for (const id of runs) await patiently(new URL(`${baseUrl}/v1/cancel/${id}`), { headers }).then((reply) => reply.arrayBuffer(), () => left.push(`run ${id}`));
  for (const id of batches) {
    const status = await patiently(new URL(`${baseUrl}/v1/recommender/data_batch?batch_id=${encodeURIComponent(id)}`), { method: 'DELETE', headers })
      .then(async (reply) => (await reply.arrayBuffer(), reply.status), () => 0);
    // 404: a check has already deleted the batch by its tags.
    if (status === 200) batchesDeleted += 1;
    else if (status !== 404) left.push(`batch ${id}`);
  }
  return { batchesDeleted, left: [...left, ...[...models].map((id) => `model ${id}`)] };
}
