import { describe, expect, it } from 'vitest';
import { watchPace } from './senderPace.ts';

interface Sender {
  /** Number of bytes that arrive in each second. */
  bytes: (second: number) => number;
  seconds: number;
  wanted?: (second: number) => boolean;
  /** Seconds in which the server does not read. */
  weAreSlow?: (second: number) => boolean;
}

/** The verdict about a sender, and the number of seconds until the verdict. */
async function watch({ bytes, seconds, wanted = () => true, weAreSlow = () => false }: Sender) {
  let second = 0;
  const request = { complete: false, readableLength: 0, isPaused: () => weAreSlow(second), socket: { bytesRead: 0 } };
  const system = {
    elapsedMs: () => second * 1_000,
    timers: {
      sleep: async () => {
        second++;
        request.socket.bytesRead += bytes(second);
        request.complete = second >= seconds;
      },
    },
  };
  const problem = await watchPace(request, () => wanted(second), system, new AbortController().signal);
  return { problem, second };
}

describe('the pace of a sender', () => {
  it('lets 10 kB/s take as long as the form is large, also where others wait', async () => {
    expect(await watch({ bytes: () => 10_000, seconds: 10_000 })).toMatchObject({ problem: null });
  });

  it('lets a byte a second take as long as it takes where nobody waits', async () => {
    expect(await watch({ bytes: () => 1, seconds: 10_000, wanted: () => false })).toMatchObject({ problem: null });
  });

  it('refuses a byte a second after ten seconds in which others wait, with figures', async () => {
    const { problem, second } = await watch({ bytes: () => 1, seconds: 10_000, wanted: (at) => at > 1_000 });
    expect(problem).toMatchObject({ code: 'request-timeout', detail: expect.stringMatching(/^10 bytes of the form arrived in 10 s; .* 4096 bytes per second/) as string });
    expect(second).toBe(1_010);
  });

  it('refuses a sender that was fast and becomes slow', async () => {
    const { problem, second } = await watch({ bytes: (at) => (at === 1 ? 40_000 : 1), seconds: 10_000 });
    expect(problem).toMatchObject({ code: 'request-timeout' });
    expect(second).toBeLessThanOrEqual(20);
  });

  it('does not blame the sender for what we are slow with', async () => {
    expect(await watch({ bytes: () => 0, seconds: 10_000, weAreSlow: () => true })).toMatchObject({ problem: null });
  });
});
