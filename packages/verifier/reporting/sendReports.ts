import type { Hex } from '@vouch/chain/messages/operation';
import { isDue } from '@vouch/platform/process/isDue';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptAttestation } from '../state/nodeState.ts';
import { SendFault } from '../context/sender.ts';

const idleMs = 250;
/** Maximum number of reports that are being sent at once. */
const sendsAtOnce = 8;
/** Delay before a sent report that is not on the chain is sent again; the delay doubles with each attempt. */
const patienceMs = 60_000;
const maxPatienceMs = 300_000;
const retryMsFirst = 2_000;
const maxRetryMs = 60_000;
/** Longer than the longest random delay and every retry delay. */
const maxWaitMs = 660_000;

interface Attempt {
  nextAt: number;
  failures: number;
  /** How often the report was sent without effect. */
  accepted: number;
  /** Block in which the nodes were chosen; when a reorganization changes it, the attempts start over. */
  chosenBlock: number | null;
}

/** Sends every due report, and repeats until the chain has the report or its deadline has passed. */
export class ReportingLane {
  readonly #parts: NodeParts;
  readonly #attempts = new Map<Hex, Attempt>();
  readonly #onTheWay = new Set<Hex>();

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { system, signal, sender, log } = this.#parts;
    const sending = new Set<Promise<void>>();
    while (!signal.aborted) {
      for (const attestation of this.#due().slice(0, sendsAtOnce - sending.size)) {
        const sent = this.#send(attestation).finally(() => sending.delete(sent));
        sending.add(sent);
      }
      await sender.tend(signal).catch((error: unknown) => log.debug({ fault: messageOf(error) }, 'the node\'s own transactions could not be checked'));
      await system.timers.sleep(idleMs, signal);
    }
    await Promise.all(sending);
  }

  #due(): KeptAttestation[] {
    const { record, system, time } = this.#parts;
    const [now, chainNow] = [system.clock.now(), time.now()];
    if (chainNow === null) return [];
    const open = [...record.all()].filter(({ state }) => state === 'chosen' || state === 'sent');
    this.#forget(open);
    return open
      .filter((each) => each.verdict !== null && each.deadline !== null && each.deadline >= chainNow && !this.#onTheWay.has(each.attestationId))
      .filter((each) => isDue(this.#attemptOf(each).nextAt, maxWaitMs, now) && (record.standby === null || chainNow >= (each.halfTime ?? 0)))
      .sort((a, b) => (a.deadline ?? 0) - (b.deadline ?? 0));
  }

  #forget(open: readonly KeptAttestation[]): void {
    if (this.#attempts.size <= 2 * open.length + 100) return;
    const ids = new Set(open.map(({ attestationId }) => attestationId));
    for (const id of this.#attempts.keys()) if (!ids.has(id)) this.#attempts.delete(id);
  }

  #attemptOf(attestation: KeptAttestation): Attempt {
    const known = this.#attempts.get(attestation.attestationId);
    if (known?.chosenBlock === attestation.chosenBlock) return known;
    const made = { nextAt: this.#firstTry(attestation), failures: 0, accepted: 0, chosenBlock: attestation.chosenBlock };
    this.#attempts.set(attestation.attestationId, made);
    return made;
  }

  /** The random delay, limited to a quarter of the remaining time. A report that an earlier run sent is repeated at once, unless that would cost gas twice. */
  #firstTry({ attempts, sentAt, deadline }: KeptAttestation): number {
    const { system, time, record, configuration: { chain, sending } } = this.#parts;
    const now = system.clock.now();
    if (attempts > 0) return sending.through === 'itself' ? Math.min((sentAt ?? 0) + patienceMs, now + patienceMs) : now;
    // A node on standby waits anyway.
    if (record.standby !== null) return now;
    const leftMs = Math.max(0, (deadline ?? 0) - (time.now() ?? 0)) * 1_000;
    return now + system.random.fraction() * Math.min(chain.maxReportDelaySeconds * 1_000, leftMs / 4);
  }

  async #send(attestation: KeptAttestation): Promise<void> {
    const { sender, record, log, signal, system } = this.#parts;
    const { attestationId, verdict, chosenIndex } = attestation;
    if (verdict === null || chosenIndex === null) return;
    const attempt = this.#attemptOf(attestation);
    this.#onTheWay.add(attestationId);
    try {
      await sender.send({ kind: 'report', attestationId, result: verdict, index: chosenIndex }, (hash) => this.#writeDown(attestation, hash), signal);
      attempt.accepted += 1;
      attempt.failures = 0;
      attempt.nextAt = system.clock.now() + Math.min(maxPatienceMs, patienceMs * 2 ** (attempt.accepted - 1));
      if (attestation.lastError !== null) record.change(attestation, { lastError: null });
      log.info({ attestation: attestationId, verdict, index: chosenIndex, attempts: attestation.attempts }, 'The report was submitted.');
    } catch (error) {
      if (!signal.aborted) this.#noteFailure(attestation, attempt, error);
    } finally {
      this.#onTheWay.delete(attestationId);
    }
  }

  /** Records the attempt before anything is sent, so that after a crash the node knows its own report. */
  async #writeDown(attestation: KeptAttestation, hash: Hex | null): Promise<void> {
    const { record, system, log } = this.#parts;
    // A reorganization may have removed the node from the chosen list while this report waited.
    record.change(attestation, { state: attestation.state === 'chosen' ? 'sent' : attestation.state, attempts: attestation.attempts + 1, sentAt: system.clock.now(), sentHash: hash });
    // A full disk does not stop the report: sending the same message twice costs nothing.
    await record.save().catch((error: unknown) => log.warn({ fault: messageOf(error) }, 'The state could not be written before a report was sent.'));
  }

  #noteFailure(attestation: KeptAttestation, attempt: Attempt, error: unknown): void {
    const { record, log, system } = this.#parts;
    const sentence = messageOf(error);
    attempt.failures += 1;
    const asked = error instanceof SendFault && error.retryAfterSeconds !== null ? error.retryAfterSeconds * 1_000 : 0;
    const wait = Math.min(maxRetryMs, Math.max(asked, retryMsFirst * 2 ** (attempt.failures - 1)));
    attempt.nextAt = system.clock.now() + wait * (1 + system.random.fraction() / 4);
    record.change(attestation, { state: attestation.state === 'sent' ? 'chosen' : attestation.state, lastError: sentence.slice(0, 1_000) });
    log.warn({ attestation: attestation.attestationId, failures: attempt.failures }, `A report could not be submitted; retrying in ${Math.round(wait / 1_000)} s. ${sentence}`);
  }
}
