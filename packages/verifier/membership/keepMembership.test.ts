import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NodeParts } from '../context/nodeParts.ts';
import { SendFault } from '../context/sender.ts';
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

test('an entry that is refused because the node is active by then leaves no alarm', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-membership-'));
  const stop = new AbortController();
  const standing = new Set<string>();
  const record = { membership: { active: false, readAt: 1, weight: 1, commissionRate: null }, wasActive: false, standby: null };
  let steps = 0;
  const parts = {
    record,
    configuration: { node: { reenter: true }, rewardClaimer: null, commissionRate: null, expirySeconds: 60 },
    time: { head: {}, now: () => 1 },
    alarms: { raise: (alarm: string) => standing.add(alarm), clear: (alarm: string) => standing.delete(alarm) },
    sender: {
      replacedNode: () => Promise.resolve('0x'),
      send() {
        record.membership.active = true;
        return Promise.reject(new SendFault('refused', 'Already enter.', 'already-active'));
      },
    },
    system: { clock: { now: () => 1_000 }, timers: { sleep: () => Promise.resolve(++steps === 2 ? stop.abort() : undefined) } },
    signal: stop.signal,
  } as unknown as NodeParts;
  await new MembershipLane(parts, folder).run();
  expect([...standing]).toEqual([]);
  await rm(folder, { recursive: true });
});
