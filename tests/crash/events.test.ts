import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { eventSubject } from './harness/eventSubject.ts';
import { killLoop } from './harness/killLoop.ts';
import { createLedger } from './harness/ledger.ts';
import { makePlace, removePlace } from './harness/place.ts';
import { killSomething } from './harness/victims.ts';
import type { VouchPlace } from './harness/vouchSubjects.ts';

const rounds = 3;

describe.skipIf(process.platform !== 'linux')('events under kill -9 (needs /proc)', () => {
  let place: VouchPlace;
  beforeAll(async () => { place = await makePlace(); });
  afterAll(() => removePlace(place));

  exhaustiveTest('are each there exactly once, in a batch or not yet, where they were acknowledged or repeated', async () => {
    const report = await killLoop({ ...eventSubject(place), kill: killSomething }, createLedger<{ events: number }>(), {
      rounds, seed: 5, killAfterMs: { from: 1_000, to: 3_000 }, timers: systemInterfaces.timers,
    });
    expect(report).toMatchObject({ kills: rounds, lost: [], twice: [], faulty: [], unknown: [] });
    expect(report.acknowledged).toBeGreaterThan(10);
  });
});
