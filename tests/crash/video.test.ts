import { describe, expect, it } from 'vitest';
import { killVideoRuns } from './harness/videoRuns.ts';

describe.skipIf(process.platform !== 'linux')('summarizations under kill -9 (needs /proc)', () => {
  it('end completed or cancelled as their clients were told, and leave no process and no file', async () => {
    expect(await killVideoRuns({ runs: 4, cancelled: 1, kills: 1 })).toEqual({ ends: { completed: 3, cancelled: 1 }, faults: [] });
  }, 600_000);
});
