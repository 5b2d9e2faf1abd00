import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { platformErrors } from '../errors/platformErrors.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { hashRequest } from './idempotency.ts';
import { typed } from './request.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
const servers: TestServer[] = [];
let now = systemInterfaces.clock.now();
let failing = false;

beforeAll(async () => {
  database = await openTestDatabase();
  await database.query('CREATE TABLE effects (id bigint GENERATED ALWAYS AS IDENTITY, name text NOT NULL)');
  // Two servers on one database represent two processes: they share only the rows.
  for (let index = 0; index < 2; index++) {
    servers.push(await startTestServer(database, {
      system: { ...systemInterfaces, clock: { now: () => now } },
      routes: [(server) => {
        typed(server).post('/v1/effects', {
          config: { scope: 'data:read' }, schema: { body: Type.Object({ name: Type.Optional(Type.String()), other: Type.Optional(Type.Integer()) }) },
        }, (request, reply) => server.idempotency.answer(request, reply, hashRequest(request), async (transaction) => {
          const { rows } = await transaction.query<{ id: string }>('INSERT INTO effects (name) VALUES ($1) RETURNING id', [request.body.name ?? '']);
          await transaction.query('SELECT pg_sleep(0.05)');
          if (failing) throw platformErrors.problem('storage-full', 'No space.');
          return { status: 202, body: { id: rows[0]?.id }, headers: { location: '/v1/effects/x' } };
        }));
      }],
    }));
  }
});

beforeEach(async () => {
  failing = false;
  await database.query('TRUNCATE effects');
});

afterAll(async () => {
  for (const { server } of servers) await server.close();
  await database.close();
});

let next = 0;

function post(key: string | null, body: unknown, apikey = 'o:data:read'): Promise<Response> {
  const { url } = servers[next++ % 2] as TestServer;
  return fetch(`${url}/v1/effects`, {
    method: 'POST', body: JSON.stringify(body),
    headers: { apikey, 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }) },
  });
}

async function effects(): Promise<number> {
  const { rows } = await database.query<{ count: number }>('SELECT count(*)::int AS count FROM effects');
  return rows[0]?.count ?? -1;
}

it('a repeated request gives the first answer again, through another process too, and has one effect', async () => {
  const first = await post('repeat', { name: 'a', other: 1 });
  const body = await first.text();
  for (const again of [await post('repeat', { name: 'a', other: 1 }), await post('repeat', { other: 1, name: 'a' })]) {
    expect([again.status, await again.text(), again.headers.get('location')]).toEqual([202, body, '/v1/effects/x']);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  }
  expect(first.headers.get('idempotency-replayed')).toBeNull();
  expect(await effects()).toBe(1);
});

it('of thirty requests at once one has its effect and all get its answer', async () => {
  const answers = await Promise.all(Array.from({ length: 30 }, () => post('storm', { name: 'a' })));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 202));
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
  expect(await effects()).toBe(1);
});

it('the same key with other parameters is a conflict without an effect, also at the same time', async () => {
  await post('other', { name: 'a' });
  const answer = await post('other', { name: 'b' });
  expect([answer.status, (await answer.json() as { code: string }).code]).toEqual([409, 'idempotency-conflict']);
  const both = await Promise.all([post('race', { name: 'a' }), post('race', { name: 'b' })]);
  expect(both.map(({ status }) => status).sort()).toEqual([202, 409]);
  expect(await effects()).toBe(2);
});

it('a failed effect leaves nothing, so that the request can be tried again', async () => {
  failing = true;
  expect((await post('failed', {})).status).toBe(507);
  expect(await effects()).toBe(0);
  failing = false;
  const answer = await post('failed', {});
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([202, null]);
  expect(await effects()).toBe(1);
});

it('keys of different organizations have nothing to do with each other', async () => {
  expect((await post('shared', { name: 'a' }, 'one:data:read')).status).toBe(202);
  expect((await post('shared', { name: 'b' }, 'two:data:read')).status).toBe(202);
  expect(await effects()).toBe(2);
});

it('without a key every request has its effect', async () => {
  await post(null, { name: 'a' });
  await post(null, { name: 'a' });
  expect(await effects()).toBe(2);
});

it.each(['', 'a b', 'x'.repeat(256), 'ü'])('the key %j is refused', async (key) => {
  const answer = await post(key, {});
  expect([answer.status, (await answer.json() as { code: string }).code]).toEqual([422, 'invalid-parameter']);
});

it('a key is free again after 24 hours, and old records are removed a bounded number at a time', async () => {
  await post('old', { name: 'a' });
  now += 24 * 3_600_000 + 1;
  const answer = await post('old', { name: 'b' });
  expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([202, null]);
  expect(await effects()).toBe(2);

  await database.query(
    `INSERT INTO idempotency_keys (organization_id, key, request_hash, created_at)
     SELECT 'o', 'filler-' || n, '', $1 FROM generate_series(1, 1500) n`, [new Date(now - 25 * 3_600_000)]);
  const { idempotency } = (servers[0] as TestServer).server;
  expect(await idempotency.sweep()).toBe(1000);
  expect(await idempotency.sweep()).toBeGreaterThanOrEqual(500);
  expect(await idempotency.sweep()).toBe(0);
  expect((await post('old', { name: 'b' })).headers.get('idempotency-replayed')).toBe('true');
});
