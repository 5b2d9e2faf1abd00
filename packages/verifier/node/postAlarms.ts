import type { Hex } from '@vouch/chain/messages/operation';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { messageOf } from '../logging/messageOf.ts';
import { exchangeJson } from '../reporting/exchangeJson.ts';
import type { AlarmEvent } from '../context/alarms.ts';

const maxWaiting = 100;
const maxTries = 6;
const retryMsFirst = 5_000;
const timeoutMs = 10_000;
const timeoutMsAtEnd = 2_000;

interface AlarmReceiver {
  url: string;
  node: Hex;
  chainName: string;
}

/** Posts alarm events to a URL one after the other, with a few attempts each. Undelivered events appear in the log only. */
export class AlarmPost {
  readonly #receiver: AlarmReceiver;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'timers'>;
  readonly #log: Logger;
  readonly #waiting: { event: AlarmEvent; at: number }[] = [];
  #running: Promise<void> | null = null;
  readonly #signal: AbortSignal;

  constructor(receiver: AlarmReceiver, system: Pick<SystemInterfaces, 'clock' | 'timers'>, log: Logger, signal: AbortSignal) {
    this.#receiver = receiver;
    this.#system = system;
    this.#log = log;
    this.#signal = signal;
  }

  post(event: AlarmEvent): void {
    if (this.#waiting.length >= maxWaiting) this.#waiting.shift();
    this.#waiting.push({ event, at: this.#system.clock.now() });
    this.#running ??= this.#run().finally(() => { this.#running = null; });
  }

  /** Resolves when no event is waiting. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#deliver(next);
  }

  async #deliver({ event, at }: { event: AlarmEvent; at: number }): Promise<void> {
    const { url, node, chainName } = this.#receiver;
    const { alarm, what, subject, sentence, since } = event;
    const body = { alarm, state: what, subject: subject === '' ? null : subject, sentence, node, chain: chainName, since: new Date(since).toISOString(), at: new Date(at).toISOString() };
    for (let tries = 1; ; tries += 1) {
      try {
        const { status } = await exchangeJson({ url, method: 'POST', body, headers: { 'user-agent': 'vouch-verifier' }, timeoutMs: this.#signal.aborted ? timeoutMsAtEnd : timeoutMs }, this.#system.timers);
        if (status >= 200 && status < 300) return;
        throw new Error(`${new URL(url).host} answered with HTTP ${status}`);
      } catch (error) {
        if (tries === maxTries || this.#signal.aborted) {
          // A stopping node does not wait for a receiver that does not answer.
          if (this.#signal.aborted) this.#waiting.length = 0;
          this.#log.warn({ alarm }, `An alarm could not be delivered to alert.url: ${messageOf(error)}.`);
          return;
        }
        await this.#system.timers.sleep(retryMsFirst * 2 ** (tries - 1), this.#signal);
      }
    }
  }
}
