import { Readable } from 'node:stream';
import type { OutboundAnswer } from '@vouch/platform/outbound/outbound';
import type { SimulatedProcess } from './simulatedProcess.ts';

/** What a server does with a request. A request that is neither answered nor failed stays open until its signal aborts. */
export interface Reply {
  answer(status: number, text: string, headers?: Readonly<Record<string, string>>): void;
  fail(error: Error): void;
}

interface Sent {
  process: SimulatedProcess;
  url: URL;
  signal: AbortSignal | undefined;
  /** Time in ms that one message needs. */
  delay(): number;
}

/** Sends a request of a process over the simulated network. @param arrive called when the request arrives */
export function exchangeMessages({ process, url, signal, delay }: Sent, arrive: (reply: Reply) => void): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    const settle = (run: () => void): void => process.after(delay(), () => {
      signal?.removeEventListener('abort', abort);
      run();
    });
    process.simulation.after(delay(), () => arrive({
      answer: (status, text, headers = {}) => settle(() => resolve({ status, headers, url: url.href, body: Readable.from([Buffer.from(text)]) })),
      fail: (error) => settle(() => reject(error)),
    }));
  });
}
