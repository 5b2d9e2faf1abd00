import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../process/doors.ts';
import { addressGroup } from './clientAddress.ts';

/** Wrong keys that an IP address may send at once, and how fast it gets them back. The conformance test sends 30. */
const burst = 100;
const refillMs = 1_000;
/** Addresses that are remembered: about 2 MB. The one whose last wrong key is longest ago is forgotten first. */
const maxRemembered = 10_000;
/** One log line for an address in this time. */
const logEveryMs = 60_000;

interface Sender {
  /** When all wrong keys so far are paid off, in ms; each costs `refillMs`. */
  paidMs: number;
  refused: number;
  loggedMs: number;
}

/**
 * Answers wrong keys with 429 where one IP address sends many. A key that is valid always passes, whatever else its address sends:
 * behind one address there may be others, and keys have 256 random bits, so that nobody finds one by trying.
 */
export class KeyBrake {
  readonly #senders = new Map<string, Sender>();
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Wrong keys so far: those answered with 401, and those over the bound. */
  readonly counts = { answered: 0, refused: 0 };

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Counts a wrong key of this IP address. @returns null, or the problem to answer with instead of 401 */
  count(address: string): Problem | null {
    const group = addressGroup(address);
    const now = this.#clock.now();
    const sender = this.#remember(group);
    const paidMs = Math.max(sender.paidMs, now);
    if (paidMs + refillMs - now <= burst * refillMs) {
      sender.paidMs = paidMs + refillMs;
      this.counts.answered++;
      return null;
    }
    this.counts.refused++;
    sender.refused++;
    this.#tell(group, sender, now);
    const seconds = Math.ceil((paidMs + refillMs - now - burst * refillMs) / 1000);
    return platformErrors.problem('too-many-wrong-keys',
      `The key in the \`apikey\` header is not known here, and your IP address sent more than ${burst} such keys. Correct the key; this one may be tried again in ${seconds} seconds.`, {
        headers: { 'retry-after': String(seconds) },
      });
  }

  /** The record of an address, moved behind all others. */
  #remember(group: string): Sender {
    const sender = this.#senders.get(group) ?? { paidMs: 0, refused: 0, loggedMs: -Infinity };
    this.#senders.delete(group);
    this.#senders.set(group, sender);
    const [oldest] = this.#senders.keys();
    if (this.#senders.size > maxRemembered && oldest !== undefined) this.#senders.delete(oldest);
    return sender;
  }

  #tell(group: string, sender: Sender, now: number): void {
    if (now - sender.loggedMs < logEveryMs) return;
    this.#log.warn({ client_address: group, refused: sender.refused }, 'an IP address sends many wrong API keys; they are answered with 429');
    sender.refused = 0;
    sender.loggedMs = now;
  }
}
