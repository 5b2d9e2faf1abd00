import type { Connection } from '@vouch/platform/database/database';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import { countRequests } from '../../requests/requestStore.ts';

const windowMs = 3_600_000;
/** Interval in ms of recounting rows, which adds the messages that other processes accepted. */
const recountMs = 60_000;
/** Maximum number of signers in memory. Signers are registered nodes, a few thousand in practice. */
const maxSigners = 100_000;

interface Counted {
  window: number;
  count: number;
  /** Time of the count, by `elapsedMs`. */
  countedMs: number;
}

/**
 * Limits accepted messages per signer and hour. Each process counts in memory and starts from the stored rows, so a restart does
 * not
 * reset the limit. Several processes together exceed the limit by what they accept within one minute.
 */
export class SignerQuotas {
  readonly #limit: number;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  readonly #signers = new Map<string, Counted>();

  /** @param limit accepted messages per signer and hour; 0 disables the limit */
  constructor(limit: number, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>) {
    this.#limit = limit;
    this.#system = system;
  }

  /**
   * Refuses a signer whose quota is known to be used up.
   * @throws Problem `quota`
   */
  check(signer: Buffer): void {
    const counted = this.#signers.get(signer.toString('latin1'));
    if (this.#limit === 0 || counted === undefined || counted.window !== this.#window()) return;
    if (counted.count >= this.#limit) throw this.#exhausted();
  }

  /** Loads the counts of signers that have no fresh count in this hour. */
  async learn(connection: Connection, deployment: string, signers: readonly Buffer[]): Promise<void> {
    if (this.#limit === 0) return;
    const now = this.#system.elapsedMs();
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

  /**
   * Counts one message.
   * @throws Problem `quota` if no message is left
   */
  take(signer: Buffer): void {
    if (this.#limit === 0) return;
    this.check(signer);
    const counted = this.#signers.get(signer.toString('latin1'));
    if (counted !== undefined) counted.count++;
  }

  /** Removes one count, because the message was a repeat; anyone who has seen a message can repeat it. */
  giveBack(signer: Buffer): void {
    const counted = this.#signers.get(signer.toString('latin1'));
    if (counted !== undefined && counted.count > 0) counted.count--;
  }

  #isFresh(name: string, now: number): boolean {
    const counted = this.#signers.get(name);
    return counted !== undefined && counted.window === this.#window() && now - counted.countedMs < recountMs;
  }

  #window(): number {
    return Math.floor(this.#system.clock.now() / windowMs);
  }

  #exhausted(): Error {
    const seconds = Math.ceil(((this.#window() + 1) * windowMs - this.#system.clock.now()) / 1000);
    return gatewayErrors.problem('quota',
      `The signer has reached the quota of ${this.#limit} messages per hour. Send the message again in ${seconds} s, or send the transaction to the contract directly.`,
      { headers: { 'retry-after': String(seconds) } });
  }
}
