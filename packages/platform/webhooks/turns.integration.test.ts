import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../log/logger.ts';
import { createOutbound } from '../outbound/createOutbound.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { startReceiver, type Receiver } from '../testing/webhookReceiver.ts';
import { createWebhooks, type WebhookService } from './createWebhooks.ts';

let database: TestDatabase;
let receiver: Receiver;
let webhooks: WebhookService;
/** Requests without an answer: all hosts hang until the test lets them fail. */
const held: ServerResponse[] = [];
let hang = true;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => { database = await openTestDatabase(); });
afterAll(() => database.close());
beforeEach(async () => {
  hang = true;
  receiver = await startReceiver((_count, response) => {
    held.push(response);
    if (!hang) fail();
  });
  const outbound = createOutbound({ allowPrivateAddresses: true, lookup: async () => ['127.0.0.1'] }, systemInterfaces.timers);
  webhooks = createWebhooks({ database, outbound, system: systemInterfaces, log: createLogger('silent') });
  closing.push(() => outbound.close(), () => receiver.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  await database.query('DELETE FROM webhook_deliveries');
});

/** Lets all open attempts fail. */
function fail(): void {
  for (const response of held.splice(0)) response.writeHead(500).end();
}

/** Records callbacks of an organization to each of the hosts. */
async function enqueue(organizationId: string, hosts: readonly string[], count = 1): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    for (const host of hosts) {
      await database.transaction((transaction) => webhooks.enqueue(transaction, { organizationId, url: `http://${host}:${receiver.port}/`, type: 'model.training.completed', data: null }));
    }
  }
}

async function start(): Promise<void> {
  const sender = await webhooks.startSending();
  closing.push(async () => {
    hang = false;
    fail();
    await sender.close();
  });
}

/** The hosts of the first `count` attempts. @param release whether open attempts fail meanwhile */
async function firstHosts(count: number, release: boolean): Promise<string[]> {
  for (let round = 0; round < 12_000 && receiver.received.length < count; round += 1) {
    await systemInterfaces.timers.sleep(10);
    if (release) fail();
  }
  return receiver.received.slice(0, count).map(({ headers }) => headers['host']?.split(':')[0] ?? '');
}

it('a few organizations whose receivers hang do not take all attempts of a process', async () => {
  for (const name of ['a', 'b', 'c']) await enqueue(name, [1, 2, 3, 4].map((host) => `${name}${host}.example`), 3);
  await start();
  await firstHosts(12, false);
  await enqueue('late', ['late.example']);
  expect(await firstHosts(13, false)).toContain('late.example');
});

it('organizations take turns, however many callbacks of others have waited longer', async () => {
  const names = Array.from({ length: 40 }, (_, at) => `org-${at}`);
  for (const name of names) await enqueue(name, [`${name}.example`], 3);
  await enqueue('late', ['late.example']);
  await start();
  // An attempt can arrive after up to 15 attempts that began later.
  expect(new Set(await firstHosts(41 + 15, true))).toEqual(new Set([...names.map((name) => `${name}.example`), 'late.example']));
});

it('hosts of one organization take turns', async () => {
  const hosts = Array.from({ length: 12 }, (_, at) => `host-${at}.example`);
  for (const host of hosts) await enqueue('one', [host], 3);
  await enqueue('one', ['late.example']);
  await start();
  expect(new Set(await firstHosts(13 + 5, true))).toEqual(new Set([...hosts, 'late.example']));
});
