import { setTimeout as sleep } from 'node:timers/promises';
import { makeKey } from '../harness/makeKey.ts';
import { residentBytes } from '../harness/measureRss.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch } from '../harness/vouchClient.ts';
import { fetchSourceIds } from '../serving/fetchStream.ts';
import { answered, sent, startFlood } from './flood.ts';
import { measureOthers } from './measureOthers.ts';
import { requestKinds } from './requestKinds.ts';

/**
 * Measures a server at twice the rate that it can answer: how many requests of an organization it still answers, what it tells about the others, whether
 * readiness says so, whether another organization is answered, and how long it takes to recover.
 */

const { values } = parseCommandLine({ options: {
  seconds: { type: 'string', default: '600' }, connections: { type: 'string', default: '1000' }, factor: { type: 'string', default: '2' },
} });
const [seconds, connections, factor] = [Number(values.seconds), Number(values.connections), Number(values.factor)];
const shape = { items: 5_000, users: 20_000, interactions: 400_000, seed: 1 };
const modelId = 'overload';
const kind = 'lists with a filter';
const maxRecoverySeconds = 60;

interface Seen {
  ready: Map<string, number>;
  refused: number;
  withRetryAfter: number;
  /** Responses to another organization by status. */
  others: Map<number, number>;
}

/** What probes of other connections see while a server is overloaded, once a second. */
async function probe({ url, key }: ServedVouch, otherKey: string, id: string, ended: () => boolean): Promise<Seen> {
  const seen: Seen = { ready: new Map(), refused: 0, withRetryAfter: 0, others: new Map() };
  while (!ended()) {
    const other = await fetch(`${url}/v1/recommender/data_batch?limit=1`, { headers: { apikey: otherKey }, signal: AbortSignal.timeout(30_000) }).then(({ status }) => status, () => 0);
    seen.others.set(other, (seen.others.get(other) ?? 0) + 1);
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(async (answer) => `${answer.status} ${((await answer.json()) as { status: string }).status}`, () => 'no answer');
    seen.ready.set(ready, (seen.ready.get(ready) ?? 0) + 1);
    const answer = await fetch(url + requestKinds[kind](modelId, id).path, { headers: { apikey: key }, signal: AbortSignal.timeout(30_000) }).catch(() => null);
    if (answer !== null && answer.status !== 200) {
      seen.refused += 1;
      if (Number(answer.headers.get('retry-after')) > 0) seen.withRetryAfter += 1;
    }
    await answer?.arrayBuffer();
    await sleep(1_000);
  }
  return seen;
}

/** Seconds until ten requests in a row take at most three times the calm median. */
async function recover({ url, key }: ServedVouch, id: string, calmMs: number): Promise<number> {
  const started = performance.now();
  for (let good = 0; good < 10;) {
    const asked = performance.now();
    const answer = await fetch(url + requestKinds[kind](modelId, id).path, { headers: { apikey: key } });
    await answer.arrayBuffer();
    good = answer.status === 200 && performance.now() - asked <= 3 * calmMs ? good + 1 : 0;
    if (performance.now() - started > maxRecoverySeconds * 1_000) return Infinity;
    await sleep(20);
  }
  return (performance.now() - started) / 1_000;
}

const rows: (string | number)[][] = [];
const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'error' } });
try {
  const client = connectVouch(vouch.url, vouch.key);
  await uploadCatalogue(client, shape);
  await trainCatalogue(client, modelId, { parameters: { setting: 'default' } });
  const ids = await fetchSourceIds(vouch.url, vouch.key, modelId);
  const id = ids[0] ?? '';
  const otherKey = await makeKey(vouch, 'other', 'data:read');
  const load = (options: { connections: number; seconds: number; rate?: number; isOpen?: boolean }) => startFlood({ url: vouch.url, key: vouch.key, kind, modelId, ids, ...options });
  await load({ connections: 32, seconds: 5 });
  const calm = await measureOthers({ url: vouch.url, key: vouch.key, next: () => requestKinds[kind](modelId, id), from: '127.0.0.1', seconds: 5, rate: 20 });
  const saturated = await load({ connections: 32, seconds: 15 });
  const most = answered(saturated) / saturated.seconds;
  const before = await residentBytes(vouch.processId);
  console.error(`${most.toFixed(0)} requests/s at saturation`);
  let over = false;
  const probing = probe(vouch, otherKey, id, () => over);
  const flooded = await load({ connections, seconds, rate: Math.round(factor * most), isOpen: true });
  over = true;
  const seen = await probing;
  const recovered = await recover(vouch, id, calm.p50Ms);
  const useful = answered(flooded) / flooded.seconds;
  const counts = (seenBy: ReadonlyMap<string | number, number>): string => [...seenBy].map(([status, count]) => `${count} × ${status}`).join(', ');
  rows.push(
    ['requests/s at saturation, 32 connections', most.toFixed(0), ''],
    [`requests/s sent at ${factor} × saturation, ${connections} connections`, (sent(flooded) / flooded.seconds).toFixed(0), ''],
    ['answered with 200, as a share of saturation', `${(100 * useful / most).toFixed(0)} %`, '>= 80 %'],
    ['responses by status', counts(new Map(Object.entries(flooded.statuses))), 'only 200, 429 and 503'],
    ['requests without a response', flooded.failures, '0'],
    ['p99 of responses 200, as a ratio to saturation', (flooded.p99Ms / saturated.p99Ms).toFixed(1), ''],
    ['refusals of probes with Retry-After', `${seen.withRetryAfter} of ${seen.refused}`, 'all'],
    ['requests of another organization, once a second', counts(seen.others), 'only 200'],
    ['readiness, once a second', counts(seen.ready), 'ready while others are answered'],
    ['seconds until requests are as fast as before', recovered.toFixed(1), '<= 10'],
    ['memory before and after', `${megabytes(before)}, ${megabytes(await residentBytes(vouch.processId))}`, ''],
  );
} finally {
  await vouch.stop();
}

await reportTable({
  name: 'overload',
  title: 'A server at twice its rate',
  command: `node --import tsx bench/attack/overload.ts --seconds ${seconds} --connections ${connections}`,
  data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions; lists with a filter`,
  columns: ['what', 'result', 'goal'],
  rows,
  notes: ['The load sends at its rate whether or not earlier requests are answered. Server and load share the processors; the load has a lower priority.'],
});
