import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../testing/testDatabase.ts';
import { startReceiver, verify, type Answer, type Receiver } from '../testing/webhookReceiver.ts';
import { createOutbound } from '../outbound/createOutbound.ts';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces, type SystemInterfaces } from '../process/systemInterfaces.ts';
import { createWebhooks, type WebhookService } from './createWebhooks.ts';
import { attemptTimeoutMs } from './deliver.ts';
import { webhookChannel, type Attempt, type Delivery } from './deliveryStore.ts';

/** Senders check 20 times as often, a test can advance the clock of the processes, and the test decides when an attempt times out. */
const speed = 20;
let leapMs = 0;
let attemptsOver = new AbortController();
const system: SystemInterfaces = {
  clock: { now: () => Date.now() + leapMs },
  elapsedMs: systemInterfaces.elapsedMs,
  timers: {
    sleep: (milliseconds, signal) => (milliseconds === attemptTimeoutMs
      ? systemInterfaces.timers.sleep(3_600_000, signal === undefined ? attemptsOver.signal : AbortSignal.any([attemptsOver.signal, signal]))
      : systemInterfaces.timers.sleep(milliseconds / speed, signal)),
  },
  random: systemInterfaces.random,
};

let database: TestDatabase;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => { database = await openTestDatabase(); });
afterAll(() => database.close());
afterEach(async () => {
  attemptsOver.abort();
  for (const close of closing.splice(0).toReversed()) await close();
  attemptsOver = new AbortController();
  await database.query('DELETE FROM webhook_deliveries');
});

async function receive(answer: Answer): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  closing.push(() => receiver.close());
  return receiver;
}

function webhooksFor(allowed: readonly string[]): WebhookService {
  const outbound = createOutbound({ allowPrivateAddresses: allowed, lookup: async () => ['127.0.0.1'] }, systemInterfaces.timers);
  closing.push(() => outbound.close());
  return createWebhooks({ database, outbound, system, log: createLogger('silent') });
}

async function startSending(webhooks: WebhookService): Promise<void> {
  const sender = await webhooks.startSending();
  closing.push(() => sender.close());
}

function enqueue(webhooks: WebhookService, url: string, organizationId = 'org', data: unknown = { model_id: 'm' }): Promise<string> {
  return database.transaction((transaction) =>
    webhooks.enqueue(transaction, { organizationId, url, type: 'model.training.completed', data }));
}

type Detail = Delivery & { body: string; attempt_list: Attempt[] };

async function detail(webhooks: WebhookService, id: string, organizationId = 'org'): Promise<Detail> {
  const found = await webhooks.get(organizationId, id);
  if (found === null) throw new Error(`delivery ${id} is gone`);
  return found;
}

async function when(webhooks: WebhookService, id: string, holds: (delivery: Detail) => boolean, organizationId = 'org'): Promise<Detail> {
  for (let round = 0; round < 24_000; round += 1) {
    const found = await detail(webhooks, id, organizationId);
    if (holds(found)) return found;
    await systemInterfaces.timers.sleep(10);
  }
  throw new Error(`delivery ${id} did not get there: ${JSON.stringify(await detail(webhooks, id, organizationId))}`);
}

/** Lets time pass for the deliveries, whose times are those of the database. */
async function leap(milliseconds: number): Promise<void> {
  const earlier = (column: string): string => `${column} = ${column} - $1 * interval '1 ms'`;
  await database.query(
    `UPDATE webhook_deliveries SET ${['next_attempt_at', 'lease_until', 'give_up_at', 'created_at'].map(earlier).join(', ')}`, [milliseconds]);
  await database.query('SELECT pg_notify($1, $2)', [webhookChannel, '']);
}

describe('a callback', () => {
  it('arrives as Standard Webhooks says, signed with the secret of the organization', async () => {
    const { port, received } = await receive((_count, response) => response.writeHead(204).end());
    const webhooks = webhooksFor([`good.example:${port}`]);
    await startSending(webhooks);
    const id = await enqueue(webhooks, `http://good.example:${port}/hook?token=1`, 'org', { model_id: 'm', name: 'ünïcode' });
    const delivery = await when(webhooks, id, ({ status }) => status === 'delivered');
    const { secret } = await webhooks.showSecret('org');
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(verify(received[0], secret)).toEqual({
      type: 'model.training.completed', timestamp: delivery.created_at.toISOString(), data: { model_id: 'm', name: 'ünïcode' },
    });
    expect(received[0]?.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
    expect(delivery.attempt_list).toMatchObject([{ number: 1, answer_status: 204, error: null }]);
    const { secret: foreign } = await webhooks.showSecret('another');
    expect(() => verify(received[0], foreign)).toThrow('No matching signature');
  });

  it('is sent again if that was asked during an attempt that then succeeds', async () => {
    const { port, received } = await receive((count, response) => void (count > 1 ? Promise.resolve(null) : sending.redeliver('org', id)).then(() => response.writeHead(204).end()));
    const sending = webhooksFor([`good.example:${port}`]);
    const id = await enqueue(sending, `http://good.example:${port}/`);
    await startSending(sending);
    const { attempt_list: attempts } = await when(sending, id, ({ status }) => status === 'delivered');
    expect([received.length, attempts.map(({ answer_status }) => answer_status)]).toEqual([2, [204, 204]]);
  });

  it('is not sent where the transaction that recorded it is rolled back', async () => {
    const webhooks = webhooksFor([]);
    await expect(database.transaction(async (transaction) => {
      await webhooks.enqueue(transaction, { organizationId: 'org', url: 'http://a.example/', type: 't', data: null });
      throw new Error('the effect failed');
    })).rejects.toThrow('the effect failed');
    expect(await webhooks.list('org', 10, null)).toEqual([]);
  });

  it('is repeated with the same id and text after 500, until 200', async () => {
    const { port, received } = await receive((count, response) => response.writeHead(count < 3 ? 500 : 200).end(`answer ${count}`));
    const webhooks = webhooksFor([`flaky.example:${port}`]);
    await startSending(webhooks);
    const id = await enqueue(webhooks, `http://flaky.example:${port}/`);
    for (let attempt = 1; attempt < 3; attempt += 1) {
      const { status, next_attempt_at, attempt_list } = await when(webhooks, id, ({ attempts }) => attempts === attempt);
      expect(status).toBe('pending');
      const last = attempt_list.at(-1);
      const waits = (next_attempt_at?.getTime() ?? 0) - (last?.started_at.getTime() ?? 0) - (last?.duration_ms ?? 0);
      // 5 s or 20 s, each multiplied by 0.5 to 1.5, plus the time for recording.
      expect(waits).toBeGreaterThanOrEqual(attempt === 1 ? 2_500 : 10_000);
      await leap(30_000);
    }
    const done = await when(webhooks, id, ({ status }) => status === 'delivered');
    expect(done.attempt_list.map(({ number, answer_status, answer_body, error }) => [number, answer_status, answer_body, error])).toEqual([
      [1, 500, 'answer 1', 'the receiver answered 500; only 2xx counts as delivered'],
      [2, 500, 'answer 2', 'the receiver answered 500; only 2xx counts as delivered'],
      [3, 200, 'answer 3', null],
    ]);
    expect(new Set(received.map(({ headers, body }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
  });

  it('is sent at once, and repeated in time, whatever the clocks of the processes say', async () => {
    const { port } = await receive((count, response) => response.writeHead(count < 2 ? 500 : 200).end());
    const webhooks = webhooksFor([`good.example:${port}`]);
    await startSending(webhooks);
    leapMs += 86_400_000;
    const id = await enqueue(webhooks, `http://good.example:${port}/`);
    leapMs -= 86_400_000;
    const { next_attempt_at: next } = await when(webhooks, id, ({ attempts }) => attempts === 1);
    expect(Math.abs((next?.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    await leap(30_000);
    await when(webhooks, id, ({ status }) => status === 'delivered');
  });

  it('is given up after 24 hours, and can be sent again from there', async () => {
    let healthy = false;
    const { port } = await receive((_count, response) => response.writeHead(healthy ? 200 : 503).end());
    const webhooks = webhooksFor([`down.example:${port}`]);
    await startSending(webhooks);
    const id = await enqueue(webhooks, `http://down.example:${port}/`);
    let attempts = 0;
    for (let status = 'pending'; status === 'pending' && attempts < 40;) {
      attempts += 1;
      ({ status } = await when(webhooks, id, (delivery) => delivery.attempts === attempts));
      const { next_attempt_at } = await detail(webhooks, id);
      if (next_attempt_at !== null) await leap(Math.max(0, next_attempt_at.getTime() - Date.now()));
    }
    const ended = await detail(webhooks, id);
    expect(ended.status).toBe('given_up');
    expect(ended.attempt_list).toHaveLength(attempts);
    expect(attempts).toBeGreaterThan(8);
    const period = (ended.ended_at?.getTime() ?? 0) - ended.created_at.getTime();
    expect(period).toBeGreaterThan(18 * 3_600_000);
    expect(period).toBeLessThanOrEqual(24 * 3_600_000);
    healthy = true;
    expect(await webhooks.redeliver('another', id)).toBeNull();
    expect(await webhooks.redeliver('org', 'no-uuid')).toBeNull();
    expect(await webhooks.redeliver('org', id)).toMatchObject({ id, status: 'pending' });
    await when(webhooks, id, ({ status }) => status === 'delivered');
  });
});

describe('a bad receiver is recorded and holds up nobody', () => {
  it('hanging, redirecting, private, endless, lying, refusing: each with its sentence, while a good one is served', async () => {
    const hanging = await receive(() => {});
    const inner = await receive((_count, response) => response.end('inside'));
    const redirecting = await receive((_count, response) => response.writeHead(307, { location: `http://127.0.0.1:${inner.port}/` }).end());
    const endless = await receive((_count, response) => {
      response.writeHead(200);
      const more = (): void => { while (!response.destroyed && response.write('x'.repeat(10_000))); };
      response.on('drain', more);
      more();
    });
    const lying = await receive((_count, response) => {
      response.writeHead(400, { 'content-length': '1000000' }).write('\0short', () => response.destroy());
    });
    const good = await receive((_count, response) => response.end());
    const webhooks = webhooksFor([
      `hang.example:${hanging.port}`, `redirect.example:${redirecting.port}`, `endless.example:${endless.port}`,
      `lie.example:${lying.port}`, `good.example:${good.port}`, 'closed.example:1',
    ]);
    const hung = await Promise.all(Array.from({ length: 20 }, () => enqueue(webhooks, `http://hang.example:${hanging.port}/`, 'greedy')));
    const ids = {
      redirect: await enqueue(webhooks, `http://redirect.example:${redirecting.port}/`),
      endless: await enqueue(webhooks, `http://endless.example:${endless.port}/`),
      lie: await enqueue(webhooks, `http://lie.example:${lying.port}/`),
      private: await enqueue(webhooks, `http://127.0.0.1:${inner.port}/?secret=hidden`),
      named: await enqueue(webhooks, `http://named.example:${inner.port}/`),
      closed: await enqueue(webhooks, 'http://closed.example:1/'),
      good: await enqueue(webhooks, `http://good.example:${good.port}/`),
    };
    await startSending(webhooks);
    await when(webhooks, ids.good, ({ status }) => status === 'delivered');
    const first = async (id: string): Promise<Attempt | undefined> =>
      (await when(webhooks, id, ({ attempts }) => attempts >= 1)).attempt_list[0];
    expect(await first(ids.redirect)).toMatchObject({
      answer_status: 307, error: 'the receiver answered 307, a redirect, which Vouch does not follow' });
    expect(await first(ids.endless)).toMatchObject({ answer_status: 200, error: null, answer_body: 'x'.repeat(1024) });
    expect((await first(ids.lie))?.answer_status).toBe(400);
    const refused = (await first(ids.private))?.error ?? '';
    expect(refused).toContain('is not allowed: the host is a loopback IP address');
    expect(refused).not.toContain('hidden');
    expect((await first(ids.named))?.error).toContain('the host resolves to a loopback IP address');
    expect((await first(ids.closed))?.error).toBe('closed.example:1 refuses connections');
    expect(inner.received).toEqual([]);
    const late = await Promise.all(hung.map((id) => detail(webhooks, id, 'greedy')));
    expect(late.some(({ attempts }) => attempts === 0)).toBe(true);
    attemptsOver.abort();
    const some = await Promise.race(hung.map((id) => when(webhooks, id, ({ attempts }) => attempts >= 1, 'greedy')));
    expect(some.attempt_list[0]).toMatchObject({ answer_status: null, error: expect.stringContaining('within 10 s') });
  });
});

describe('several senders over one database', () => {
  it('send each delivery once, and take over one whose sender died', async () => {
    const { port, received } = await receive((_count, response) => response.end());
    const webhooks = webhooksFor([`good.example:${port}`]);
    const dead = await enqueue(webhooks, `http://good.example:${port}/dead`);
    await database.query('UPDATE webhook_deliveries SET fence = gen_random_uuid(), lease_until = now() + interval \'60 s\' WHERE id = $1', [dead]);
    const ids = await Promise.all(Array.from({ length: 30 }, () => enqueue(webhooks, `http://good.example:${port}/`)));
    await startSending(webhooks);
    await startSending(webhooks);
    await startSending(webhooks);
    for (const id of ids) await when(webhooks, id, ({ status }) => status === 'delivered');
    await leap(60_000);
    await when(webhooks, dead, ({ status }) => status === 'delivered');
    expect(received.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...ids, dead].sort());
  });

  it('finish what they have begun before they close', async () => {
    const { port, received } = await receive((_count, response) => void setTimeout(() => response.end(), 150));
    const webhooks = webhooksFor([`slow.example:${port}`]);
    const sender = await webhooks.startSending();
    const id = await enqueue(webhooks, `http://slow.example:${port}/`);
    for (let round = 0; round < 48_000 && received.length === 0; round += 1) await systemInterfaces.timers.sleep(5);
    await sender.close();
    expect((await detail(webhooks, id)).status).toBe('delivered');
  });
});

describe('the secret', () => {
  it('stays the same until rotated; then both sign for 24 hours', async () => {
    const { port, received } = await receive((_count, response) => response.end());
    const webhooks = webhooksFor([`good.example:${port}`]);
    await startSending(webhooks);
    const old = await webhooks.showSecret('rotating');
    expect(await webhooks.showSecret('rotating')).toEqual(old);
    const fresh = await webhooks.rotateSecret('rotating');
    expect(fresh.secret).not.toBe(old.secret);
    expect(fresh.previousUntil).not.toBeNull();
    const send = async (): Promise<void> => {
      const id = await enqueue(webhooks, `http://good.example:${port}/`, 'rotating');
      await when(webhooks, id, ({ status }) => status === 'delivered', 'rotating');
    };
    await send();
    expect(verify(received[0], old.secret)).toBeTruthy();
    expect(verify(received[0], fresh.secret)).toBeTruthy();
    leapMs += 24 * 3_600_000;
    await send();
    expect(() => verify(received[1], old.secret)).toThrow('No matching signature');
    expect(verify(received[1], fresh.secret)).toBeTruthy();
    expect((await webhooks.showSecret('rotating')).previousUntil).toBeNull();
  });
});

describe('the list', () => {
  it('shows an organization its own deliveries, the newest first, in pages', async () => {
    const webhooks = webhooksFor([]);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await enqueue(webhooks, 'http://a.example/'));
    await enqueue(webhooks, 'http://a.example/', 'another');
    const first = await webhooks.list('org', 3, null);
    const second = await webhooks.list('org', 3, first.at(-1)?.number ?? null);
    expect([...first, ...second].map(({ id }) => id)).toEqual(ids);
    expect(await webhooks.get('another', ids[0] ?? '')).toBeNull();
  });
});
