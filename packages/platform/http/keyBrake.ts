import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';
import type { Logger } from '../log/logger.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';
import { addressGroup } from './clientAddress.ts';

/** An IP address may send 100 wrong keys at once, and one more per second (`refillMs`). The conformance test sends 30. */
const burst = 100;
const refillMs = 1_000;
/** Upper bound for the IP addresses in memory, about 2 MB. The IP address whose last wrong key is the oldest is removed first. */
const maxRemembered = 10_000;
/** At most one log line per IP address in this time: one minute. */
const logEveryMs = 60_000;

interface Sender {
  /** Time by `elapsedMs` at which the allowance is full again. Each wrong key moves this time by `refillMs`. */
  paidMs: number;
  refused: number;
  loggedMs: number;
}

/**
 * Limits wrong keys per IP address: over the limit, a wrong key is answered with 429 instead of 401. A valid key is always accepted, because other
 * clients can share the IP address. The limit is not needed against guessing, because keys have 256 random bits.
 */
export class KeyBrake {
  readonly #senders = new Map<string, Sender>();
  readonly #system: Pick<SystemInterfaces, 'elapsedMs'>;
  readonly #log: Logger;
  /** Number of wrong keys so far: answered with 401, and over the limit with 429. */
  readonly counts = { answered: 0, refused: 0 };

  constructor(system: Pick<SystemInterfaces, 'elapsedMs'>, log: Logger) {
    this.#system = system;
    this.#log = log;
  }

  /** Counts a wrong key of an IP address. @returns null if the answer is 401, or the problem to answer instead */
  count(address: string): Problem | null {
    const group = addressGroup(address);
    const now = this.#system.elapsedMs();
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
      `The key in the \`apikey\` header is unknown, and your IP address sent more than ${burst} invalid keys. Correct the key, or try again in ${seconds} seconds.`, {
        headers: { 'retry-after': String(seconds) },
      });
  }

  /** Returns the record of an IP address group and makes it the most recently used one. */
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
    this.#log.warn({ client_address: group, refused: sender.refused }, 'an IP address sends many invalid API keys, which are answered with 429');
    sender.refused = 0;
    sender.loggedMs = now;
  }
}
