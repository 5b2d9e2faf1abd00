import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { startTestServer, type TestServer } from '../testing/testServer.ts';

let database: TestDatabase;
let at: TestServer;
let elapsedMs = 0;
const away = new Set<string>();

async function requireAnswer(name: string): Promise<void> {
  if (away.has(name)) throw new Error(`${name} is away`);
}

beforeAll(async () => {
  database = await openTestDatabase();
  at = await startTestServer(database, {
    system: { ...systemInterfaces, elapsedMs: () => elapsedMs },
    readiness: [
      { name: 'database', isRequired: true, check: () => requireAnswer('database') },
      { name: 'blobs', isRequired: false, check: () => requireAnswer('blobs') },
    ],
  });
});
afterAll(async () => {
  await at.server.close();
  await database.close();
});

/** Status, status text and faults of `/readyz` while dependencies are away; the metric must agree. */
async function readinessWithout(...names: string[]): Promise<unknown[]> {
  away.clear();
  for (const name of names) away.add(name);
  elapsedMs += 1_000;
  const answer = await fetch(`${at.url}/readyz`);
  const { status, checks } = await answer.json() as { status: string; checks: { name: string; status: string }[] };
  const faults = checks.filter((check) => check.status === 'fault').map(({ name }) => name);
  const metrics = await (await fetch(`${at.url}/metrics`)).text();
  expect([...metrics.matchAll(/vouch_readiness_check\{check="(.*)"\} 0/g)].map(([, name]) => name)).toEqual(faults);
  return [answer.status, status, ...faults];
}

it('a server that lacks a dependency of some requests stays ready, and says which', async () => {
  expect(await readinessWithout('blobs')).toEqual([200, 'degraded', 'blobs']);
  expect(await readinessWithout('database')).toEqual([503, 'not-ready', 'database']);
  expect(await readinessWithout('database', 'blobs')).toEqual([503, 'not-ready', 'database', 'blobs']);
  expect(await readinessWithout()).toEqual([200, 'ready']);
});
