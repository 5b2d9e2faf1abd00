import { setTimeout as sleep } from 'node:timers/promises';

/** One read with all its attempts. */
export interface Read {
  /** Milliseconds since the start of the load. */
  at: number;
  /** Milliseconds until the answer, repeated attempts included. */
  ms: number;
  /** Attempts that got no answer, or 503. */
  failed: number;
}

export interface ReadLoad {
  reads: readonly Read[];
  /** Attempts that had to be repeated: when, and why. */
  repeated: readonly string[];
  /** Answers that no fault explains. */
  faults: readonly string[];
  /** Sends no further read, and waits for the answers to all. */
  finish(): Promise<void>;
}

const retryMs = 100;
const attemptTimeoutMs = 10_000;
/** A read that has no answer for so long counts as lost. */
const lostAfterMs = 120_000;

/** Sends a request at a fixed rate, whether or not earlier ones are answered. Repeats a request without an answer, as a careful client does. */
export function beginReads(url: string, key: string, perSecond: number): ReadLoad {
  const began = performance.now();
  const reads: Read[] = [];
  const repeated: string[] = [];
  const faults: string[] = [];
  const open = new Set<Promise<void>>();
  const stop = new AbortController();

  async function read(): Promise<void> {
    const sent = performance.now();
    // A connection of its own, so that the balancer chooses a server for each read.
    const headers = { apikey: key, connection: 'close' };
    let failed = 0;
    while (performance.now() - sent < lostAfterMs) {
      const { status, said } = await fetch(url, { headers, signal: AbortSignal.timeout(attemptTimeoutMs) })
        .then(async (answer) => ({ status: answer.status, said: (await answer.text()).slice(0, 200) }))
        .catch((error: Error) => ({ status: null, said: String(error.cause ?? error) }));
      if (status === 200) return void reads.push({ at: sent - began, ms: performance.now() - sent, failed });
      if (status !== null && status !== 503) return void faults.push(`a read was answered ${status}`);
      failed++;
      repeated.push(`${Math.round(performance.now() - began)} ms: ${status ?? ''} ${said}`);
      await sleep(retryMs);
    }
    faults.push(`a read sent after ${Math.round((sent - began) / 1_000)} s had no answer for ${lostAfterMs / 1_000} s`);
  }

  async function send(): Promise<void> {
    for (let count = 1; !stop.signal.aborted; count++) {
      const reading = read();
      open.add(reading);
      void reading.finally(() => open.delete(reading));
      await sleep(Math.max(0, began + (count * 1_000) / perSecond - performance.now()));
    }
  }

  const sending = send();
  return {
    reads, repeated, faults,
    async finish() {
      stop.abort();
      await sending;
      await Promise.all(open);
    },
  };
}
