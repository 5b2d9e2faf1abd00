import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { createLoad, type Message } from './gateway/gatewayLoad.ts';
import { openWorld, type GatewayWorld } from './gateway/gatewayWorld.ts';
import { relayDatabase, type TcpRelay } from './harness/relayTcp.ts';
import { startStandby, untilEnded, type StandbyGateway } from './gateway/standbyGateway.ts';
import { createLedger } from './harness/ledger.ts';
import { waitUntil } from './harness/place.ts';

const linux = process.platform === 'linux';
if (!linux) console.log('tests/crash/recordsWithoutDatabase.test.ts is skipped: it needs /proc');

interface Answered {
  status: number;
  retryAfter: string | null;
  body: { status?: string; as_of?: string | null; code?: string };
}

describe.skipIf(!linux)('the records of messages while PostgreSQL does not answer', () => {
  let world: GatewayWorld;
  let database: TestDatabase;
  let relay: TcpRelay;
  let gateway: StandbyGateway;
  let records: string[];

  beforeAll(async () => {
    [world, database] = await Promise.all([openWorld(true), openTestDatabase({ maxConnections: 2 })]);
    const relayed = await relayDatabase('127.0.0.1', database.connectionString);
    relay = relayed.relay;
    gateway = await startStandby(world, relayed.url, '');
    const ledger = createLedger<Message>();
    const accepted = (): string[] => [...ledger.entries()].flatMap(([, { state, effect }]) => (state === 'acknowledged' ? [effect.record ?? ''] : []));
    const load = createLoad({ ...world, place: gateway.place });
    const enough = new AbortController();
    await Promise.all([
      load.drive(ledger, seededRandom(1), enough.signal),
      waitUntil('messages are accepted', async () => accepted().length >= 5).finally(() => enough.abort()),
    ]);
    await untilEnded(gateway.place, ledger);
    records = accepted();
  });
  afterAll(async () => {
    await gateway.close();
    await relay.close();
    await database.close();
    await world.close();
  });

  async function read(path: string): Promise<Answered> {
    const answer = await fetch(`http://127.0.0.1:${gateway.place.port}${path}`);
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: (await answer.json()) as Answered['body'] };
  }

  exhaustiveTest('are answered from what the process knew last, marked as such; what it does not know is 503 with Retry-After, not 404', async () => {
    const [record] = records as [string];
    expect(await read(record)).toMatchObject({ status: 200, body: { status: 'confirmed', as_of: null } });
    const before = Date.now();
    relay.hang(true);
    const known = await read(record);
    expect(known).toMatchObject({ status: 200, body: { status: 'confirmed', as_of: expect.any(String) as string } });
    expect(Date.parse(known.body.as_of ?? '')).toBeLessThanOrEqual(before);
    expect(await read('/gateway/requests/gw_unknown')).toMatchObject({ status: 503, retryAfter: '2', body: { code: 'database-unavailable' } });
    relay.hang(false);
    await waitUntil('the database answers again', async () => (await read(record)).body.as_of === null);
    expect(await read('/gateway/requests/gw_unknown')).toMatchObject({ status: 404, body: { code: 'unknown-request' } });
  });
});
