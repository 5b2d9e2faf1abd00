/**
 * How long other requests wait while a server explains trending items of a million items: a plain GET in turns with nothing else, and beside explanations that follow each other.
 * `--before` names dist/vouch.js of another checkout.
 * @example node --max-old-space-size=8000 --import tsx bench/serving/explanations.ts --items 1000000 --seconds 20
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseConnection } from '@vouch/platform/database/passfile';
import { connectionStringOf } from '@vouch/platform/database/runningServer';
import { writeModel } from '@vouch/recommender/engine/writeModel';
import { Client } from 'pg';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { entityPieces, interactionPieces } from '../data/generate.ts';
import { quantile } from '../harness/interleave.ts';
import { parseCommandLine } from '../harness/parseCommandLine.ts';
import { reportTable } from '../harness/reportTable.ts';
import { serveVouch, vouchProgram, type ServedVouch } from '../harness/serveVouch.ts';
import { connectVouch, expectStatus } from '../harness/vouchClient.ts';
import { generateLargeModel } from '../recommender/largeModel.ts';

const option = (value: string): { type: 'string'; default: string } => ({ type: 'string', default: value });
const { values } = parseCommandLine({ options: { items: option('1000000'), seconds: option('20'), before: { type: 'string' } } });
const [items, seconds] = [Number(values.items), Number(values.seconds)];
const random = seededRandom(7);
const item = (): string => `item-${String(random.below(items)).padStart(9, '0')}`;

/** Lists of trending items that are explained; a user of whom nothing is known gets them too. */
const explained: Record<string, Record<string, string>> = {
  'trending items': {},
  'trending items, with a filter': { filter: 'item.price < 60' },
  'trending items, with a filter and a boost': { filter: 'item.price < 60', boost: 'item.maker == "maker 5" ? 1.5 : 1.0' },
  'a user without a history': { source_id: 'nobody', unknown: 'trending' },
  'a user without a history, with a filter': { source_id: 'nobody', unknown: 'trending', filter: 'item.price < 60' },
};

const folder = await mkdtemp(join(tmpdir(), 'vouch-bench-'));
// PostgreSQL runs as another user if this program runs as root.
await chmod(folder, 0o755);
const options = { folder, environment: { VOUCH_RATE_LIMIT: '0', VOUCH_LOG_LEVEL: 'warn', VOUCH_TRAIN_NICENESS: '0' } };

/**
 * Puts a generated model of a million items in place of a small model that a server trained, because the training of such a model takes an hour here.
 * @returns key of the server
 */
async function prepare(): Promise<string> {
  const small = await serveVouch(options);
  const shape = { items: 200, users: 1_000, interactions: 20_000, seed: 1 };
  expectStatus(await connectVouch(small.url, small.key).upload([{ name: 'entities.csv', content: entityPieces(shape) }, { name: 'interactions.csv', content: interactionPieces(shape) }]), 201);
  const { status } = await connectVouch(small.url, small.key).train('bench', { parameters: { setting: 'default' } });
  if (status !== 'completed') throw new Error(`the training ended with ${status}`);
  await small.stop();
  const model = generateLargeModel({
    items, historyLength: 30, stride: 9_973,
    metadata: (kind, number) => (kind === 'user' ? '' : JSON.stringify({ price: (number * 37 % 1_000) / 10, maker: `maker ${number * 13 % 500}` })),
  });
  model.trend = Float32Array.from({ length: items }, () => random.uniform());
  const path = join(folder, 'large');
  await writeModel(model, path);
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  const digest = hash.digest('hex');
  const blob = join(folder, 'blobs', digest.slice(0, 2), digest.slice(2, 4), `sha256-${digest}`);
  await mkdir(dirname(blob), { recursive: true });
  await rename(path, blob);
  const large = await serveVouch({ ...options, key: small.key });
  const { sockets } = JSON.parse(await readFile(join(folder, 'postgres/server.json'), 'utf8')) as { sockets: string };
  const database = new Client(parseConnection(connectionStringOf(join(folder, 'postgres'), sockets, 'vouch')));
  await database.connect();
  const names = (await database.query<{ serving_blob: string }>('SELECT serving_blob FROM models')).rows.map((row) => row.serving_blob);
  const renamed = names[0]?.replace(/[0-9a-f]{64}/, digest);
  await database.query('UPDATE models SET serving_blob = $1', [renamed]);
  await database.query('UPDATE model_versions SET blob = $1', [renamed]);
  await database.end();
  await large.stop();
  return small.key;
}

interface Answered {
  ms: number;
  status: number;
  body: string;
}

async function get(server: ServedVouch, path: string, query: Record<string, string>): Promise<Answered> {
  const started = performance.now();
  const answer = await fetch(`${server.url}/v1/recommender/${path}?${new URLSearchParams({ model_id: 'bench', ...query })}`, { headers: { apikey: server.key } });
  const body = await answer.text();
  return { ms: performance.now() - started, status: answer.status, body };
}

/** Asks for related items until the time is over. @returns milliseconds of each answer */
async function probe(server: ServedVouch, until: () => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!until()) {
    const { ms, status, body } = await get(server, 'related_items', { entity_id: item(), max_recommendations: '20' });
    if (status !== 200) throw new Error(`related_items: ${status} ${body}`);
    times.push(ms);
  }
  return times;
}

const show = (times: readonly number[]): string => `p50 ${quantile(times, 0.5).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)}, longest ${Math.max(...times).toFixed(0)} ms`;

async function measure(server: ServedVouch, what: string, query: Record<string, string>): Promise<string[]> {
  const end = performance.now() + seconds * 500;
  const alone = await probe(server, () => performance.now() > end);
  const finish = performance.now() + seconds * 1_000;
  const explanations: Answered[] = [];
  let isDone = false;
  const explaining = async (): Promise<void> => {
    try {
      while (performance.now() < finish) explanations.push(await get(server, 'explain', { target_id: item(), ...query }));
    } finally {
      isDone = true;
    }
  };
  const [beside] = await Promise.all([probe(server, () => isDone), explaining()]);
  const ranked = explanations.filter(({ status, body }) => status === 200 && (JSON.parse(body) as { rank: number | null }).rank !== null).length;
  const codes = [...new Set(explanations.map(({ status }) => status))].filter((status) => status !== 200);
  return [what, `${explanations.length}, ${ranked} with a rank${codes.length === 0 ? '' : `, others failed with ${codes.join(', ')}`}; ${show(explanations.map(({ ms }) => ms))}`, show(alone), show(beside)];
}

const programs = [...(values.before === undefined ? [] : [{ name: 'before: ', program: values.before }]), { name: '', program: vouchProgram }];
try {
  const key = await prepare();
  const rows: string[][] = [];
  for (const { name, program } of programs) {
    const server = await serveVouch({ ...options, key, program });
    try {
      await get(server, 'explain', { target_id: item() });
      const warm = performance.now() + 3_000;
      await probe(server, () => performance.now() > warm);
      for (const [what, query] of Object.entries(explained)) rows.push(await measure(server, `${name}${what}`, query));
    } finally {
      await server.stop();
    }
  }
  await reportTable({
    name: 'explanations',
    title: 'Other requests beside explanations of trending items',
    command: `node --max-old-space-size=8000 --import tsx bench/serving/explanations.ts ${process.argv.slice(2).map((word) => (word === values.before ? '<dist/vouch.js of another checkout>' : word)).join(' ')}`.trim(),
    data: `generated model: ${items} items with 100 neighbours each, ${items / 10} users, two metadata columns`,
    columns: ['explained list', 'explanations', 'GET related_items alone', 'GET related_items beside explanations'],
    rows,
    notes: ['Over HTTP, one explanation after the other and one request after the other, by the clock.'],
  });
} finally {
  await rm(folder, { recursive: true, force: true });
}
