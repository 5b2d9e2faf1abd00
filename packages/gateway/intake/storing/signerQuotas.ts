import type { Connection } from '@vouch/platform/database/database';
import type { Clock } from '@vouch/platform/process/doors';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { countRequests } from '../../requests/requestStore.ts';

const windowMs = 3_600_000;
/** What other processes accepted meanwhile is looked up again after this time. */
const recountMs = 60_000;
/** Signers in memory; they are registered nodes, of which there are some thousands. */
const maxSigners = 100_000;

interface Counted {
  window: number;
  count: number;
  countedMs: number;
}

/**
 * Accepted messages per signer and hour. Each process counts in memory and begins with what the rows say, so that the limit
 * holds over restarts; several processes together exceed it by what they accept within a minute.
 */
export class SignerQuotas {
  readonly #limit: number;
  readonly #clock: Clock;
  readonly #signers = new Map<string, Counted>();

  /** @param limit accepted messages per signer and hour; 0 for no limit */
  constructor(limit: number, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Refuses at once whoever is known to have nothing left. @throws Problem `quota` */
  check(signer: Buffer): void {
    const counted = this.#signers.get(signer.toString('latin1'));
    if (this.#limit === 0 || counted === undefined || counted.window !== this.#window()) return;
    if (counted.count >= this.#limit) throw this.#exhausted();
  }

  /** Looks up those signers that are not counted in this hour yet. */
  async learn(connection: Connection, deployment: string, signers: readonly Buffer[]): Promise<void> {
    if (this.#limit === 0) return;
    const now = this.#clock.now();
    const unknown = new Map<string, Buffer>();
    for (const signer of signers) {
      const name = signer.toString('latin1');
      if (!this.#isFresh(name, now)) unknown.set(name, signer);
    }
    if (unknown.size === 0) return;
    const window = this.#window();
    const counts = await countRequests(connection, deployment, [...unknown.values()], new Date(window * windowMs));
    if (this.#signers.size + unknown.size > maxSigners) this.#signers.clear();
    for (const name of unknown.keys()) {
      const before = this.#signers.get(name);
      const own = before?.window === window ? before.count : 0;
      this.#signers.set(name, { window, count: Math.max(own, counts.get(name) ?? 0), countedMs: now });
    }
  }

  /** Counts one message. @throws Problem `quota` where none is left */
  take(signer: Buffer): void {
    if (this.#limit === 0) return;
    this.check(signer);
    const counted = this.#signers.get(signer.toString('latin1'));
    if (counted !== undefined) counted.count++;
  }

  /** Takes a count back: the message turned out to be a repeat, which anybody can send who has seen it. */
  giveBack(signer: Buffer): void {
    const counted = this.#signers.get(signer.toString('latin1'));
    if (counted !== undefined && counted.count > 0) counted.count--;
  }

  #isFresh(name: string, now: number): boolean {
    const counted = this.#signers.get(name);
    return counted !== undefined && counted.window === this.#window() && now - counted.countedMs < recountMs;
  }

  #window(): number {
    return Math.floor(this.#clock.now() / windowMs);
  }

  #exhausted(): Error {
    const seconds = Math.ceil(((this.#window() + 1) * windowMs - this.#clock.now()) / 1000);
    return gatewayErrors.problem('quota',
      `The signer has sent ${this.#limit} messages in this hour, which is the quota. Send the message again in ${seconds} s, or send the transaction to the contract directly.`,
      { headers: { 'retry-after': String(seconds) } });
  }
}
