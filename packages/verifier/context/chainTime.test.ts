import type { Block } from '@vouch/chain/rpc/chainReads';
import { createLogger } from '@vouch/platform/log/logger';
import { describe, expect, it } from 'vitest';
import { Alarms, type AlarmEvent } from './alarms.ts';
import { ChainTime } from './chainTime.ts';

const block = (number: number, timestamp: number): Block => ({
  number, timestamp, hash: `0x${String(number).padStart(64, '0')}`, parentHash: `0x${'0'.repeat(64)}`, baseFee: 1n, gasLimit: 1n, gasUsed: 0n,
});

describe('the time of the chain', () => {
  it('goes on between blocks, and is not that of this machine where the two differ', () => {
    let now = 5_000_000;
    const time = new ChainTime({ clock: { now: () => now }, elapsedMs: () => now });
    expect([time.now(), time.skew, time.date.getTime()]).toEqual([null, 0, now]);
    time.see(block(1, 90_000));
    now += 1_500;
    expect([time.now(), time.skew, time.doubtful]).toEqual([90_001, 5_000 - 90_000, false]);
    expect(time.date.getTime()).toBe(90_001_000);
    now += 85_000_000;
    time.see(block(2, 90_001));
    expect([time.skew, time.date.getTime()]).toEqual([0, now]);
  });

  it('is doubtful while only an old block is known, for a minute at most', () => {
    let now = 10_000_000;
    const time = new ChainTime({ clock: { now: () => now }, elapsedMs: () => now });
    time.see(block(1, 1_000));
    expect([time.doubtful, time.skew]).toEqual([true, 0]);
    now += 60_000;
    expect([time.doubtful, time.date.getTime()]).toEqual([false, now]);
    time.see(block(2, 1_001));
    // A second block proves that the chain's time is current, so the machine's clock is wrong.
    expect([time.doubtful, time.skew, time.date.getTime()]).toEqual([false, 10_060 - 1_001, 1_001_000]);
  });

  it('does not follow a clock that is set forward or back', () => {
    let [now, elapsed] = [10_000_000, 0];
    const time = new ChainTime({ clock: { now: () => now }, elapsedMs: () => elapsed });
    time.see(block(1, 10_000));
    elapsed += 2_000;
    now += 3_600_000;
    expect(time.now()).toBe(10_002);
    now -= 2 * 3_600_000;
    expect(time.now()).toBe(10_002);
  });
});

describe('an alarm', () => {
  it('is said once, again after six hours, and once when it is over', () => {
    let now = 0;
    const lines: string[] = [];
    const told: AlarmEvent[] = [];
    const log = createLogger('info', { write: (line) => void lines.push(JSON.parse(line).level as string) });
    const alarms = new Alarms(log, { now: () => now }, (event) => told.push(event));
    for (; now <= 7 * 3_600_000; now += 5_000) alarms.raise('not-delegated', `at ${now}`);
    alarms.clear('not-delegated');
    alarms.clear('not-delegated');
    expect(lines).toEqual(['error', 'error', 'info']);
    expect(told.map(({ what }) => what)).toEqual(['raised', 'reminded', 'over']);
    for (let at = 0; at < 1_000; at += 1) alarms.raise('report-late', 'late', String(at));
    expect(alarms.standing.length).toBe(200);
  });
});
