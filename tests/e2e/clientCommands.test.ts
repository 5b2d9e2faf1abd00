import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Batch, Delivery, Explanation, Model, Recommendations, Run } from '@vouch/client/generated/schemas';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';
import { startVouch, type RunningVouch } from './harness/startVouch.ts';

/** `vouch batches`, `models`, `recommend`, `explain` and `runs` against a server that runs. */
let vouch: RunningVouch;
let folder: string;
let media: Server;

const films = Array.from({ length: 12 }, (_, at) => `f${at},film,Film ${at},"{""price"":${at}}",`);
const views = Array.from({ length: 30 }, (_, user) => [0, 1, 2].map((step) => `view,u${user},f${(user + step) % 12},,`)).flat();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-client-commands-'));
  media = createServer((request, response) => {
    if (request.url === '/broken') response.writeHead(500).end();
    else if (!request.url!.startsWith('/held.mp4')) response.writeHead(200, { 'content-type': 'video/mp4' }).end('this is not a video');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => media.once('listening', resolve));
  vouch = await startVouch({ environment: { VOUCH_ALLOW_PRIVATE_ADDRESSES: `127.0.0.1:${(media.address() as AddressInfo).port}` } });
  await writeFile(join(folder, 'films.csv'), `id,type,name,metadata,media_url\n${films.join('\n')}\n`);
  await writeFile(join(folder, 'views.csv'), `type,source_id,target_id,timestamp,metadata\n${views.join('\n')}\n`);
});
afterAll(async () => {
  await vouch?.stop();
  media?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** Runs a command; URL and key come from the environment, as on a machine that calls one server. */
function run(words: readonly string[], { key = vouch.key, url = vouch.url } = {}): Promise<Ended> {
  const env = { ...process.env, VOUCH_API_KEY: key, VOUCH_URL: url };
  return new Promise((resolve) => {
    execFile(process.execPath, [vouchProgram, ...words], { env, cwd: folder }, (error, output, errors) => resolve({ code: error === null ? 0 : Number(error.code), output, errors }));
  });
}

async function json<Answer>(...words: string[]): Promise<Answer> {
  const { code, output, errors } = await run([...words, '--json']);
  expect([code, errors]).toEqual([0, '']);
  return JSON.parse(output) as Answer;
}

exhaustiveTest('uploads files, trains a model, recommends, explains, and deletes', async () => {
  expect(await run(['batches', 'list'])).toMatchObject({ code: 0, output: 'There are no batches. vouch batches upload makes them from CSV files.\n' });
  expect(await run(['models', 'list'])).toMatchObject({ code: 0, output: 'There are no models. vouch models train makes one from the uploaded batches.\n' });
  const uploaded = await run(['batches', 'upload', 'films.csv', 'views.csv', '--tag', 'shop,spring']);
  expect(uploaded).toMatchObject({ code: 0, errors: '' });
  expect(uploaded.output).toMatch(/^Batches\n.*\n[^]*shop, spring +12 +0$/m);
  expect((await json<Batch[]>('batches', 'list', '--tag', 'shop')).map(({ entity_count: entities, interaction_count: rows }) => entities + rows).toSorted((a, b) => a - b)).toEqual([12, 90]);

  expect((await run(['models', 'train', 'films', '--tag', 'shop'])).output).toMatch(/^The training of the model films: completed\. Version 1 serves\.\nData: 12 entities, 90 interactions in 2 batches\.$/m);
  expect(await json<Model[]>('models', 'list')).toMatchObject([{ model_id: 'films', serving_version: 1 }]);
  expect((await run(['models', 'list'])).output).toMatch(/^films +1 +20/m);
  expect((await run(['models', 'show', 'films'])).output).toContain('completed. Version 1 serves.');
  expect((await run(['models', 'versions', 'films'])).output).toMatch(/^ *1 +yes/m);

  const { recommendations: [first] } = await json<Recommendations>('recommend', 'films', 'u3', '--number', '2');
  expect((await run(['recommend', 'films', 'u3', '--number', '2'])).output).toMatch(new RegExp(`^ *1 +${first!.score.toFixed(3)} +${first!.target_id} +${first!.name} +\\S.*\\n.*\\nModel films, version 1\\.$`, 'm'));
  expect((await json<Recommendations>('recommend', 'films', '--history', 'f1,f2', '--filter', 'item.price > 6')).recommendations.every(({ target_id: id }) => Number(id.slice(1)) > 6)).toBe(true);
  expect((await json<Recommendations>('recommend', 'films', 'f1', '--no-reasons')).recommendations.map(({ reasons }) => reasons.length)).not.toContain(1);
  expect((await run(['recommend', 'films', 'u3', '--filter', 'item.price > 99'])).output).toMatch(/^No item passes/);
  expect((await run(['recommend', 'films', 'u3', '--type', 'flim'])).output).toMatch(/^No item passes\. The data of the model has no type "flim"\. Did you mean "film"\?\n/);
  expect((await run(['recommend', 'films', 'u3', '--type', 'podcasts'])).output).toMatch(/^No item passes\. The data of the model has no type "podcasts"; its types are film\.\n/);
  expect((await run(['recommend', 'films', 'u3', '--type', 'film,flim'])).output).toMatch(/^Model films, version 1\. The data of the model has no type "flim"\. Did you mean "film"\?$/m);
  expect(await run(['batches', 'list', '--tag', 'shop,sprin'])).toMatchObject({ code: 0, output: 'No batch has all of the tags "shop", "sprin". vouch batches list without --tag lists all batches with their tags.\n' });
  expect(await json<Explanation>('explain', 'films', first!.target_id, '--for', 'u3')).toMatchObject({ listed: true, rank: 1 });
  expect((await run(['explain', 'films', first!.target_id, '--for', 'u3'])).output).toMatch(new RegExp(`^The list has the item ${first!.target_id} at rank 1 with the score 0\\.\\d{3}\\.\\nReason: `));
  expect((await run(['explain', 'films', 'f3', '--for', 'u3'])).output).toMatch(/^The list does not have the item f3\.[^]*^Cause: /m);
  expect((await run(['explain', 'films', 'f3', '--history', 'f3'])).output).toMatch(/^Cause: /m);

  expect((await run(['models', 'train', 'films', '--no-wait'])).output).toMatch(/^The training of the model films: (?:queued|running)/);
  expect((await run(['models', 'cancel', 'films'])).code).toBe(0);
  expect(await run(['models', 'roll-back', 'films', '1'])).toMatchObject({ code: 0, output: 'Version 1 of the model films answers queries.\n' });
  expect((await run(['batches', 'delete', '--tag', 'spring'])).output).toMatch(/^Deleted:\nBatches/);
  expect((await run(['batches', 'delete', '--tag', 'spring'])).output).toMatch(/^No batch matches/);
});

exhaustiveTest('starts a run and waits for its end, whose cause is the error of the command', async () => {
  const url = `http://127.0.0.1:${(media.address() as AddressInfo).port}/film.mp4`;
  expect((await run(['runs', 'list'])).output).toMatch(/^There are no runs/);
  expect(await run(['runs', 'start', url, '--duration', '5', '--json'])).toMatchObject({ code: exitCodes.input, output: expect.stringContaining('{"error":{"code":"not-media"') as string });
  const [first] = await json<Run[]>('runs', 'list');
  expect(first).toMatchObject({ status: 'error', media_url: url, options: { duration: 5 } });
  expect((await run(['runs', 'show', first!.run_id])).output).toMatch(/^The run .*: error\.\n[^]*Error not-media: /);
  expect((await run(['runs', 'start', url, '--no-wait'])).output).toMatch(/^The run .*: queued\.$/m);
  expect((await run(['runs', 'cancel', first!.run_id])).code).toBe(0);
});

/** Starts a command, sends Ctrl-C once `holds`, and returns what the command printed. */
async function interrupt(words: readonly string[], holds: () => Promise<boolean>): Promise<Ended> {
  const child = spawn(process.execPath, [vouchProgram, ...words], { env: { ...process.env, VOUCH_API_KEY: vouch.key, VOUCH_URL: vouch.url }, cwd: folder });
  const [printed, errors] = [child.stdout, child.stderr].map((stream) => stream.setEncoding('utf8').toArray().then((parts) => parts.join('')));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  while (!(await holds())) await new Promise((done) => setTimeout(done, 50));
  child.kill('SIGINT');
  return { code: (await ended)!, output: (await printed)!, errors: (await errors)! };
}

it('on Ctrl-C, says that the run continues and how it is ended, and that an upload stored nothing', async () => {
  const url = `http://127.0.0.1:${(media.address() as AddressInfo).port}/held.mp4`;
  const ofUrl = async (): Promise<Run | undefined> => (await json<Run[]>('runs', 'list')).find((run) => run.media_url === `${url}?1`);
  const { code, errors } = await interrupt(['runs', 'start', `${url}?1`], async () => (await ofUrl()) !== undefined);
  const { run_id: id, status } = (await ofUrl())!;
  expect([code, errors, status]).toEqual([
    exitCodes.interrupted, `vouch: The run ${id} continues. vouch runs show ${id} prints its state; vouch runs cancel ${id} ends it.\n`, expect.stringMatching(/queued|running/),
  ]);
  await run(['runs', 'cancel', id]);

  let received = false;
  const holding = createServer((request) => request.once('data', () => { received = true; request.pause(); })).listen(0, '127.0.0.1');
  await new Promise((resolve) => holding.once('listening', resolve));
  await writeFile(join(folder, 'many.csv'), `type,source_id,target_id,timestamp,metadata\n${'view,u1,f1,,\n'.repeat(2_000_000)}`);
  const upload = await interrupt(['batches', 'upload', 'many.csv', '--json', '--url', `http://127.0.0.1:${(holding.address() as AddressInfo).port}`], async () => received);
  holding.closeAllConnections();
  holding.close();
  expect(upload).toEqual({ code: exitCodes.interrupted, output: '{"error":{"code":"interrupted","detail":"Stopped; nothing was stored."}}\n', errors: 'vouch: Stopped; nothing was stored.\n' });
});

it('states how many runs begin before a queued run', async () => {
  const url = `http://127.0.0.1:${(media.address() as AddressInfo).port}/held.mp4`;
  const started: Run[] = [];
  for (let count = 0; count < 4; count += 1) started.push(await json<Run>('runs', 'start', url, '--no-wait'));
  const last = started.at(-1)!.run_id;
  const line = async (): Promise<string | undefined> => (await run(['runs', 'list'])).output.split('\n').find((each) => each.startsWith(last));
  await expect.poll(line, { timeout: 60_000 }).toMatch(/ queued, 2 runs ahead /);
  expect((await run(['runs', 'show', last])).output).toMatch(/: queued, 2 runs ahead\.$/m);
  for (const { run_id: id } of started) expect((await run(['runs', 'cancel', id])).code).toBe(0);
});

type Case = [what: string, ended: Promise<Ended>, code: number, sentence: RegExp];

async function expectFaults(cases: readonly Case[]): Promise<void> {
  for (const [what, ended, code, sentence] of cases) expect(await ended, what).toMatchObject({ code, errors: expect.stringMatching(sentence) as string });
}

exhaustiveTest('lists callbacks with the reason of the last failure, and sends one again', async () => {
  expect((await run(['webhooks', 'list'])).output).toMatch(/^The organization has no callbacks\. callback_url/);
  const url = `http://127.0.0.1:${(media.address() as AddressInfo).port}`;
  const created = await vouch.client.send('POST', '/v1video-summarization/create', { body: { media_url: `${url}/film.mp4`, on_completed_hook: `${url}/broken` } });
  const { run_id: id } = created.json<Run>();
  let listed: Delivery[] = [];
  for (let wait = 0; wait < 150 && (listed[0]?.attempts ?? 0) === 0; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    listed = (await vouch.client.get('/v1/webhooks/deliveries')).json<Delivery[]>();
  }
  const [delivery] = listed;
  expect((await run(['webhooks', 'list'])).output).toMatch(new RegExp(`^${delivery?.delivery_id} +video\\.summarization\\.error +pending .* ${url}/broken +the receiver answered 500;`, 'm'));
  const shown = (await run(['webhooks', 'show', String(delivery?.delivery_id)])).output;
  expect(shown).toContain('The last attempt failed: the receiver answered 500');
  expect(shown).toMatch(/^ *1 .* 500 +the receiver answered 500/m);
  expect(shown).toContain(id);
  expect(await json<Delivery>('webhooks', 'redeliver', String(delivery?.delivery_id))).toMatchObject({ delivery_id: delivery?.delivery_id, status: 'pending' });
  expect(await run(['webhooks', 'redeliver', 'none'])).toMatchObject({ code: exitCodes.input, errors: expect.stringContaining('No delivery has the id "none"') as string });
});

it('says how a key ended, and where the key is from', async () => {
  const revoked = await vouch.createKey();
  await vouch.run('keys', 'revoke', revoked.id);
  await expect.poll(async () => (await vouch.client.withKey(revoked.key).batches()).status).toBe(401);
  await expectFaults([
    ['a key that was revoked', run(['models', 'list'], { key: revoked.key }), exitCodes.input, /^vouch: The API key "test" was revoked at 20\S+Z\. Create a key with `vouch keys create`.* The key is the value of VOUCH_API_KEY\.$/m],
    ['a key that is unknown', run(['models', 'list', '--key', 'vch_wrong']), exitCodes.input, /does not know this API key\..* The key is the value of --key\.$/m],
  ]);
});

exhaustiveTest('states what is wrong, with the exit code of the cause', async () => {
  await writeFile(join(folder, 'bad.csv'), 'type,source_id,target_id,timestamp,metadata\n,,,,\nview,a,b,yesterday,\n');
  await expectFaults([
    ['a file that is missing', run(['batches', 'upload', 'none.csv']), exitCodes.input, /none\.csv cannot be read \(ENOENT\)/],
    ['a folder', run(['batches', 'upload', '.']), exitCodes.input, /\. is not a file/],
    ['rows that are wrong', run(['batches', 'upload', 'bad.csv']), exitCodes.input, /^ {2}bad\.csv, line 3, timestamp: timestamp is not a time/m],
    ['a delete of everything', run(['batches', 'delete']), exitCodes.input, /./],
    ['a model that is missing', run(['recommend', 'none', 'u1']), exitCodes.input, /none/],
    ['a number that is none', run(['recommend', 'films', 'u1', '--number', 'many']), exitCodes.usage, /'many' is invalid\. The value must be a number/],
    ['a number of no items', run(['recommend', 'films', 'u1', '--number', '0']), exitCodes.usage, /--number <count>' argument '0' is invalid\. The value must be an integer from 1 to 10000/],
    ['a threshold that no score reaches', run(['explain', 'films', 'f1', '--threshold', '1.5']), exitCodes.usage, /--threshold <score>' argument '1\.5' is invalid\. The value must be a number from 0 to 1/],
    ['a run that is missing', run(['runs', 'show', 'none']), exitCodes.input, /none/],
    ['options that are no JSON', run(['runs', 'start', 'http://example.org/x.mp4', '--options', '[1]']), exitCodes.usage, /--options is "\[1\]"; it must be a JSON object/],
    ['an option that is unknown', run(['runs', 'start', 'http://example.org/x.mp4', '--options', '{"durations":3}']), exitCodes.usage, /duration/],
    ['a server that does not answer', run(['models', 'list'], { url: 'http://127.0.0.1:1' }), exitCodes.failed, /The server at http:\/\/127\.0\.0\.1:1 does not answer/],
    ['a URL that is none', run(['models', 'list'], { url: 'localhost' }), exitCodes.usage, /"localhost" is not an HTTP URL/],
  ]);
});
