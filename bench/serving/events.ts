/**
 * Acknowledged events per second by size of the request, with the processor time that server and PostgreSQL use, and the time from sending an event until
 * a list contains its effect, idle and during trainings. PostgreSQL runs with fsync and synchronous commits, as `vouch serve` starts it.
 * @example node --import tsx bench/serving/events.ts
 */
import { text } from 'node:stream/consumers';
import { openConnections } from '@vouch/platform/outbound/openConnections';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { findPostgres, processTree } from '../../tests/crash/harness/processTree.ts';
import { interactionPieces } from '../data/generate.ts';
import { median, medianInterval, quantile } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { processorSeconds } from '../harness/processorSeconds.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, type ServedVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus } from '../harness/vouchClient.ts';

const { values } = parseCommandLine({ options: {
  seconds: { type: 'string', default: '5' }, rounds: { type: 'string', default: '3' }, probes: { type: 'string', default: '300' }, interactions: { type: 'string', default: '250000' },
} });
const [seconds, rounds, probes] = [Number(values.seconds), Number(values.rounds), Number(values.probes)];
const shape = { items: 20_000, users: 50_000, interactions: Number(values.interactions), seed: 1 };
const modelId = 'bench';

interface Load {
  events: number;
  connections: number;
}
const loads: readonly Load[] = [{ events: 1_000, connections: 4 }, { events: 100, connections: 16 }, { events: 10, connections: 32 }, { events: 1, connections: 32 }];

const pool = openConnections({ connectionsPerOrigin: 64, keep: true }, systemInterfaces.timers);

async function ask({ url, key }: ServedVouch, method: string, path: string, body?: string): Promise<number> {
  const { status, body: answer } = await pool.send(new URL(path, url), {
    method, headers: { apikey: key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }, ...(body === undefined ? {} : { body }),
  });
  await text(answer);
  return status;
}

/** Bodies of requests, made before the measurement, because the generator shares the processors. Their events have no id, so each can be sent often. */
function bodiesOf({ events }: Load): string[] {
  return Array.from({ length: Math.ceil(4_000 / events) }, (_, request) => JSON.stringify({
    interactions: Array.from({ length: events }, (_, at) => ({ type: 'view', source_id: `visitor-${request}-${at % 50}`, target_id: `i${(request * 31 + at * 7) % shape.items}` })),
  }));
}

function secondsOf(processIds: readonly number[]): number {
  return processIds.reduce((sum, processId) => sum + processorSeconds(processId), 0);
}

interface Measured {
  perSecond: number;
  /** Milliseconds of the processor per 1,000 events. */
  server: number;
  postgres: number;
}

async function measureLoad(vouch: ServedVouch, load: Load): Promise<Measured> {
  const bodies = bodiesOf(load);
  let sent = 0;
  let events = 0;
  const postgresIds = findPostgres(vouch.processId).map(({ processId }) => processId);
  const serverIds = processTree(vouch.processId).map(({ processId }) => processId).filter((processId) => !postgresIds.includes(processId));
  const before = { server: secondsOf(serverIds), postgres: secondsOf(postgresIds) };
  const started = performance.now();
  const lane = async (): Promise<void> => {
    while (performance.now() - started < 1_000 * seconds) {
      const status = await ask(vouch, 'POST', '/v1/recommender/interactions', bodies[sent++ % bodies.length]);
      if (status !== 202) throw new Error(`events were answered with ${status}`);
      events += load.events;
    }
  };
  await Promise.all(Array.from({ length: load.connections }, lane));
  const elapsed = (performance.now() - started) / 1_000;
  return {
    perSecond: events / elapsed,
    server: 1e6 * (secondsOf(serverIds) - before.server) / events,
    postgres: 1e6 * (secondsOf(postgresIds) - before.postgres) / events,
  };
}

/** Milliseconds from sending the first event of a new visitor until the answer, and until the visitor has a list. */
interface Effect {
  acknowledged: number[];
  listed: number[];
}

async function measureEffect(vouch: ServedVouch, name: string): Promise<Effect> {
  const times: Effect = { acknowledged: [], listed: [] };
  for (let probe = 0; probe < probes; probe += 1) {
    const visitor = `${name}-${probe}`;
    const started = performance.now();
    const status = await ask(vouch, 'POST', '/v1/recommender/interactions', JSON.stringify({ interactions: [{ type: 'view', source_id: visitor, target_id: `i${probe % 50}` }] }));
    if (status !== 202) throw new Error(`the event was answered with ${status}`);
    times.acknowledged.push(performance.now() - started);
    while (await ask(vouch, 'GET', `/v1/recommender/related_items?model_id=${modelId}&entity_id=${visitor}&max_recommendations=10`) !== 200);
    times.listed.push(performance.now() - started);
  }
  return times;
}

const vouch = await serveVouch({ environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn' } });
const client = connectVouch(vouch.url, vouch.key);
try {
  expectStatus(await client.upload([{ name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
  await client.train(modelId);
  const idle = await measureEffect(vouch, 'idle');
  const measuredEnough = new AbortController();
  const training = (async () => { while (!measuredEnough.signal.aborted) await client.train('other', { parameters: { setting: 'default' } }); })();
  const beside = await measureEffect(vouch, 'training').finally(() => measuredEnough.abort());
  await training;

  const measured = new Map<Load, Measured[]>(loads.map((load) => [load, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const load of round % 2 === 0 ? loads : loads.toReversed()) measured.get(load)?.push(await measureLoad(vouch, load));
  }
  const format = (numbers: readonly number[], digits: number): string => {
    const { low, high } = medianInterval(numbers);
    return `${median(numbers).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
  };
  const effect = (name: string, times: readonly number[]): string[] =>
    [name, `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms, max ${Math.max(...times).toFixed(0)} ms`, '', ''];
  await reportTable({
    name: 'events',
    title: 'Events',
    command: `node --import tsx bench/serving/events.ts ${process.argv.slice(2).join(' ')}`.trim(),
    data: `generated: ${shape.items} items, ${shape.users} users, ${shape.interactions} interactions, seed ${shape.seed}; embedded PostgreSQL with fsync`,
    columns: ['what', 'acknowledged events/s, or time to effect', 'server: ms of the processor per 1,000 events', 'PostgreSQL: the same'],
    rows: [
      ...[...measured].map(([{ events, connections }, runs]) => [
        `requests of ${events} over ${connections} connections`, format(runs.map(({ perSecond }) => perSecond), 0), format(runs.map(({ server }) => server), 0), format(runs.map(({ postgres }) => postgres), 0),
      ]),
      effect('from sending the first event to the answer, idle', idle.acknowledged),
      effect('the same, during trainings', beside.acknowledged),
      effect('from sending the first event to a list, idle', idle.listed),
      effect('the same, during trainings', beside.listed),
    ],
    notes: [`Medians over ${rounds} rounds of ${seconds} s each, with 95 % intervals. The generator runs on the same processors. Time to effect: ${probes} new visitors, one after the other; the list is asked for again until it exists.`,
      'What bounds the rate: the processor. 1,000 events take 22 ms of it in requests of 1,000, about half in each of server and PostgreSQL, and ten times as much in requests of one, mostly for HTTP. Waiting for the disk bounds nothing here, because requests that arrive during a commit share the next one.'],
  });
} finally {
  pool.close();
  await vouch.stop();
}
