import { describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { crashPoints } from './gateway/crashPoints.ts';
import { runGatewayRounds, type RoundRecord } from './gateway/gatewayRounds.ts';

const linux = process.platform === 'linux';
if (!linux) console.log('tests/crash/gateway.test.ts is skipped: it needs /proc');

const roundsTimeoutMs = 900_000;
/** Every message costs this process and the gateway 10 ms of processor time each; a point needs only a few messages. */
const pauseMsMax = 300;

/** A sample of the rounds of `npm run test:crash`, which covers each crash point with each contract. */
describe.skipIf(!linux)('the gateway under kill -9 at the points of its pipeline, PostgreSQL too in a third of the rounds', () => {
  const points = new Set<string>();

  async function expectClean(options: { rounds: number; firstRound: number; isolates: boolean }): Promise<RoundRecord[]> {
    const records: RoundRecord[] = [];
    const { lost, twice, faulty, unknown, acknowledged, kills, gas } = await runGatewayRounds({ ...options, pauseMsMax, seed: 1, onRound: (record) => records.push(record) });
    for (const record of records) console.log(JSON.stringify(record));
    expect(records.filter(({ reached }) => !reached)).toEqual([]);
    expect({ lost, twice, faulty, unknown, kills }).toEqual({ lost: [], twice: [], faulty: [], unknown: [], kills: options.rounds });
    expect(acknowledged).toBeGreaterThan(options.rounds);
    // After every kill, the budgets must equal the billed gas and hold no reservation for messages that have ended.
    expect(gas.billed).toBeGreaterThan(0);
    expect(gas).toEqual({ reserved: 0, spent: gas.billed, billed: gas.billed });
    return records;
  }

  // The two tests together cover each point once: rounds 9 to 17 cover the last five points and the first four; rounds 5 to 8
  // cover the points from simulation to sending.
  exhaustiveTest('ends every message that it accepted as it told its client, and carries none out twice', async () => {
    for (const { point } of await expectClean({ rounds: 9, firstRound: 9, isolates: true })) points.add(point);
  }, roundsTimeoutMs);

  exhaustiveTest('does so also through Multicall3 with a contract that would carry a message out twice', async () => {
    for (const { point } of await expectClean({ rounds: 4, firstRound: 5, isolates: false })) points.add(point);
    expect(points.size).toBe(crashPoints.length);
  }, roundsTimeoutMs);
});
