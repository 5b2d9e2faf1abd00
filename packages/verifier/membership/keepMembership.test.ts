import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NodeParts } from '../context/nodeParts.ts';
import { MembershipLane } from './keepMembership.ts';

test('a node that is read as active while the lane looks for its exit raises no alarm, and does not enter again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-membership-'));
  const stop = new AbortController();
  const done: string[] = [];
  const record = { membership: { active: false, readAt: 1, weight: 1, commissionRate: null }, wasActive: false, standby: null };
  const readAsActive = (): void => {
    record.membership.active = true;
    record.wasActive = true;
  };
  const parts = {
    record,
    configuration: { node: { reenter: true }, rewardClaimer: null, commissionRate: null },
    // The lane asks for the head, finds the node not active, and then asks the file system, which answers after the next tick.
    time: { get head() { process.nextTick(readAsActive); return {}; } },
    alarms: { raise: (alarm: string) => done.push(alarm) },
    sender: { send: () => Promise.resolve(done.push('enter')) },
    system: { clock: { now: () => 1_000 }, timers: { sleep: () => Promise.resolve(stop.abort()) } },
    signal: stop.signal,
  } as unknown as NodeParts;
  await new MembershipLane(parts, folder).run();
  expect(done).toEqual([]);
  await rm(folder, { recursive: true });
});
