import { afterEach, beforeEach, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { seededRandom } from '../../packages/platform/process/seededRandom.ts';
import { createLoad, type Message } from './gateway/gatewayLoad.ts';
import { openWorld, type GatewayWorld } from './gateway/gatewayWorld.ts';
import { startStandby, untilEnded, writes, type StandbyGateway } from './gateway/standbyGateway.ts';
import { createLedger } from './harness/ledger.ts';
import { waitUntil } from './harness/place.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

const linux = process.platform === 'linux';
if (!linux) console.log('tests/crash/standby.test.ts is skipped: it needs /proc');

const messagesMore = 10;

/**
 * The point at which a hanging writer has the most unfinished work. tests/scale/standby.ts stops the writer at arbitrary points.
 */
const point = 'preparing: nonce and bytes stored, not committed';

describe.skipIf(!linux)('two gateways on one database', () => {
  let world: GatewayWorld;
  let database: TestDatabase;
  let gateways: StandbyGateway[];

  beforeEach(async () => {
    // Uses the contract that would execute a claimer message twice, so that a duplicated message is visible.
    [world, database] = await Promise.all([openWorld(false), openTestDatabase({ maxConnections: 2 })]);
    gateways = [];
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await database.close();
    await world.close();
  });

  async function start(): Promise<StandbyGateway> {
    const gateway = await startStandby(world, database.connectionString, point);
    gateways.push(gateway);
    return gateway;
  }

  exhaustiveTest(`a writer that hangs (${point}) is taken over; once awake it doubles nothing, and every message is confirmed once`, async () => {
    const writer = await start();
    await writer.untilLogged(writes);
    const standby = await start();
    const ledger = createLedger<Message>();
    const target: VouchPlace = { ...standby.place };
    const load = createLoad({ ...world, place: target });
    const accepted = (): string[] => [...ledger.entries()].flatMap(([, { state, effect }]) => (state === 'acknowledged' ? [effect.key] : []));
    const random = seededRandom(1);
    async function driveUntil(reached: Promise<void>): Promise<void> {
      const enough = new AbortController();
      await Promise.all([load.drive(ledger, random, enough.signal), reached.finally(() => enough.abort())]);
    }

    await driveUntil(writer.hangAtPoint());
    await standby.untilLogged(writes);
    await load.repeatOpen(ledger);
    const before = await untilEnded(standby.place, ledger);
    const asleep = writer.logLength();
    writer.wake();
    await writer.untilLogged('lost the lease', asleep);
    // Both gateways accept messages; only one sends transactions.
    Object.assign(target, writer.place);
    const enough = accepted().length + messagesMore;
    await driveUntil(waitUntil('the gateway that woke accepts messages', async () => accepted().length >= enough));
    await load.repeatOpen(ledger);
    const after = await untilEnded(standby.place, ledger);

    expect(Object.keys(after)).toEqual(['confirmed']);
    expect(after['confirmed']).toBeGreaterThan(before['confirmed'] ?? 0);
    const effects = await world.countEffects();
    expect(accepted().map((key) => effects.get(key))).toEqual(accepted().map(() => 1));
    // Messages without a response must not take effect twice either.
    expect([...effects].filter(([, times]) => times > 1)).toEqual([]);
  });
});
