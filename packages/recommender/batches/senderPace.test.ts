import { describe, expect, it } from 'vitest';
import { atLeastPace } from './senderPace.ts';

/** What arrives of `chunks` parts of `bytes`, each after `sentMs` of waiting for it, where handling it takes `handledMs`. */
async function receive({ bytes, chunks, sentMs, handledMs = 0 }: { bytes: number; chunks: number; sentMs: number; handledMs?: number }): Promise<number> {
  let now = 0;
  async function* sender(): AsyncGenerator<Uint8Array> {
    for (let chunk = 0; chunk < chunks; chunk++) {
      now += sentMs;
      yield new Uint8Array(bytes);
    }
  }
  let received = 0;
  for await (const chunk of atLeastPace(sender(), 'a.csv', { now: () => now })) {
    received += chunk.length;
    now += handledMs;
  }
  return received;
}

describe('the pace of a sender who holds a place', () => {
  it('lets 10 kB/s take as long as the file is large', async () => {
    expect(await receive({ bytes: 1_000, chunks: 100_000, sentMs: 100 })).toBe(100_000_000);
  });

  it('refuses a byte every two seconds after half a minute, with file and figures', async () => {
    await expect(receive({ bytes: 1, chunks: 1_000, sentMs: 2_000 })).rejects.toMatchObject({
      code: 'request-timeout', detail: expect.stringMatching(/^15 bytes of the file a\.csv came in 30 s; .* 4096 bytes a second/) as string,
    });
  });

  it('refuses a sender that was fast and becomes slow', async () => {
    let now = 0;
    async function* sender(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      for (;;) {
        now += 2_000;
        yield new Uint8Array(1);
      }
    }
    const reading = (async () => { for await (const chunk of atLeastPace(sender(), 'a.csv', { now: () => now })) void chunk; })();
    await expect(reading).rejects.toMatchObject({ code: 'request-timeout' });
    expect(now).toBeLessThanOrEqual(60_000);
  });

  it('does not blame the sender for what we are slow with', async () => {
    expect(await receive({ bytes: 1_000, chunks: 100, sentMs: 10, handledMs: 40_000 })).toBe(100_000);
  });
});
