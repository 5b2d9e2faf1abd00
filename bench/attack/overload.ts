import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { quantile } from '../harness/interleave.ts';
import { residentBytes } from '../harness/measureRss.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { trainCatalogue, uploadCatalogue } from '../harness/uploadCatalogue.ts';
import { connectVouch } from '../harness/vouchClient.ts';
import { fetchSourceIds } from '../serving/fetchStream.ts';
import { sendRequests } from '../serving/load.ts';
import { measureOthers } from './measureOthers.ts';

/**
 * Measures a server at twice the rate that it can answer: how many requests it still answers, what it tells the others, whether readiness says so, and
 * how long it takes to recover.
 */

const { values } = parseArgs({ options: {
  seconds: { type: 'string', default: '600' }, connections: { type: 'string', default: '1000' }, factor: { type: 'string', default: '2' },
} });
const [seconds, connections, factor] = [Number(values.seconds), Number(values.connections), Number(values.factor)];
const shape = { items: 5_000, users: 20_000, interactions: 400_000, seed: 1 };
const modelId = 'overload';
const filter = 'item.category != "none"';
const maxRecoverySeconds = 60;

function listPath(id: string): string {
  return `/v1/recommender/related_items?${new URLSearchParams({ model_id: modelId, entity_id: id, entity_type: 'item', output_format: 'json', filter })}`;
}

/** What probes of another connection see while a server is overloaded, once a second. */
async function probe({ url, key }: ServedVouch, id: string, ended: () => boolean): Promise<{ ready: Map<string, number>; refused: number; withRetryAfter: number }> {
  const seen = { ready: new Map<string, number>(), refused: 0, withRetryAfter: 0 };
  while (!ended()) {
    const ready = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(async (answer) => `${answer.status} ${((await answer.json()) as { status: string }).status}`, () => 'no answer');
    seen.ready.set(ready, (seen.ready.get(ready) ?? 0) + 1);
    const answer = await fetch(url + listPath(id), { headers: { apikey: key }, signal: AbortSignal.timeout(30_000) }).catch(() => null);
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
    const answer = await fetch(url + listPath(id), { headers: { apikey: key } });
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
  let next = 0;
  const path = (): string => listPath(ids[next++ % ids.length] ?? '');
  const load = (options: { connections: number; seconds: number; rate?: number }) => sendRequests({ url: vouch.url, key: vouch.key, path, ...options });
  await load({ connections: 32, seconds: 5 });
  const calm = await measureOthers({ url: vouch.url + listPath(id), key: vouch.key, from: '127.0.0.1', seconds: 5, rate: 20 });
  const saturated = await load({ connections: 32, seconds: 15 });
  const most = (saturated.statuses.get(200) ?? 0) / saturated.seconds;
  const before = await residentBytes(vouch.processId);
  console.error(`${most.toFixed(0)} requests/s at saturation`);
  let over = false;
  const probing = probe(vouch, id, () => over);
  const flooded = await load({ connections, seconds, rate: Math.round(factor * most) });
  over = true;
  const seen = await probing;
  const recovered = await recover(vouch, id, calm.p50Ms);
  const total = [...flooded.statuses.values()].reduce((sum, count) => sum + count, 0);
  const useful = (flooded.statuses.get(200) ?? 0) / flooded.seconds;
  rows.push(
    ['requests/s at saturation, 32 connections', most.toFixed(0), ''],
    [`requests/s sent at ${factor} × saturation, ${connections} connections`, (total / flooded.seconds).toFixed(0), ''],
    ['answered with 200, as a share of saturation', `${(100 * useful / most).toFixed(0)} %`, '>= 80 %'],
    ['responses by status', [...flooded.statuses].map(([status, count]) => `${count} × ${status}`).join(', '), 'only 200, 429 and 503'],
    ['requests without a response', flooded.failures, '0'],
    ['p99 of responses 200, as a ratio to saturation', (quantile(flooded.latenciesMs, 0.99) / quantile(saturated.latenciesMs, 0.99)).toFixed(1), ''],
    ['refusals of probes with Retry-After', `${seen.withRetryAfter} of ${seen.refused}`, 'all'],
    ['readiness, once a second', [...seen.ready].map(([status, count]) => `${count} × ${status}`).join(', '), 'overloaded while it refuses'],
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
  data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions; lists of users and items with a filter`,
  columns: ['what', 'result', 'goal'],
  rows,
  notes: ['Server and load share the processors, so the load of 2 × takes processor time from the answers.'],
});
