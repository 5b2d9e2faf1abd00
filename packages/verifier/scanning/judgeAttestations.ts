import { messageOf } from '../logging/messageOf.ts';
import { reasonsByKind, type Outcome } from '../attestation/outcome.ts';
import type { Collateral } from '../attestation/collateral/collateral.ts';
import { CollateralFolderFault, readCollateralFolder } from '../attestation/collateral/readCollateralFolder.ts';
import { verifyAttestation, type Judgement } from '../attestation/verifyAttestation.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { isEnded, type KeptAttestation } from '../state/nodeState.ts';

/** Interval at which collateral is read again; attestations without a verdict are judged again then. */
const againMs = 60_000;
const idleMs = 250;
const maxSentenceLength = 1_000;
export const noCollateral: Collateral = { files: [], certificates: [], crls: [], tcbInfos: [], qeIdentities: [], faults: [] };
const withoutVote: readonly string[] = reasonsByKind['no-vote'];

/** Verifies every attestation once, first those that this node must report. Only one at a time, so that the other lanes are not blocked. */
export class JudgingLane {
  readonly #parts: NodeParts;
  #collateral: Collateral = noCollateral;
  /** Times by `elapsedMs`: `judgedAt` is the date of the judgement, and the clock may step. */
  #readAt = -Infinity;
  readonly #triedAt = new WeakMap<KeptAttestation, number>();
  /** The newest attestation that got no verdict, while the alarm about it is active. */
  #withoutVerdict: KeptAttestation | null = null;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { system, signal, log, time } = this.#parts;
    while (!signal.aborted) {
      const next = time.doubtful ? null : this.#next();
      try {
        if (next !== null) await this.#judge(next);
        else if (!time.doubtful) await this.#endAlarm();
      } catch (error) {
        log.warn({ attestation: next?.attestationId, fault: messageOf(error) }, 'An attestation could not be judged now.');
        await system.timers.sleep(idleMs, signal);
      }
      await system.timers.sleep(next === null ? idleMs : 0, signal);
    }
  }

  #next(): KeptAttestation | null {
    const elapsed = this.#parts.system.elapsedMs();
    let first: KeptAttestation | null = null;
    for (const each of this.#parts.record.all()) {
      if (!isDue(each, elapsed - (this.#triedAt.get(each) ?? -Infinity))) continue;
      if (first === null || urgency(each) < urgency(first)) first = each;
    }
    return first;
  }

  async #judge(attestation: KeptAttestation): Promise<void> {
    const { record, system, log } = this.#parts;
    const { attestationId } = attestation;
    this.#triedAt.set(attestation, system.elapsedMs());
    const info = await record.infos.read(attestationId);
    if (info === null) {
      record.change(attestation, { judgedAt: system.clock.now(), reason: 'info-unknown', sentence: 'The text of the attestation, whose hash is the id, is unknown to this node, so the attestation cannot be judged.' });
      return;
    }
    const judgement = await this.#judgement();
    const outcome = verifyAttestation(info, judgement);
    const basis = await record.inputs.keep(judgement).catch((error: unknown) => {
      // If the inputs cannot be stored, the node still votes; the vote can then not be explained later.
      log.warn(`The inputs of verdicts cannot be stored for later explanations: ${messageOf(error)}.`);
      return null;
    });
    this.#note(attestation, outcome, { judgedAt: judgement.date.getTime(), basis });
  }

  #note(attestation: KeptAttestation, outcome: Outcome, by: Pick<KeptAttestation, 'judgedAt' | 'basis'>): void {
    const { record, log, alarms } = this.#parts;
    const { reason, sentence, result } = outcome;
    record.change(attestation, { verdict: result, reason, sentence: sentence.slice(0, maxSentenceLength), ...by });
    const fields = { attestation: attestation.attestationId, verdict: result, reason };
    if (result === null) {
      this.#withoutVerdict = attestation;
      alarms.raise('no-vote', `Attestations cannot be judged: ${sentence} Until this is fixed, this node does not vote on them and misses reports.`);
    } else {
      if (outcome.collateralFiles.length > 0) this.#clearAlarm();
      log[attestation.chosenIndex === null ? 'debug' : 'info'](fields, `An attestation was judged: ${outcome.kind}. ${sentence}`);
    }
  }

  /** Ends the alarm when the attestation without a verdict can be judged, also if its time is over: no other may come for a long time. */
  async #endAlarm(): Promise<void> {
    const { record, system } = this.#parts;
    const attestation = this.#withoutVerdict;
    if (attestation === null || !isEnded(attestation) || system.elapsedMs() - (this.#triedAt.get(attestation) ?? -Infinity) < againMs) return;
    this.#triedAt.set(attestation, system.elapsedMs());
    const info = await record.infos.read(attestation.attestationId);
    if (info === null || verifyAttestation(info, await this.#judgement()).result !== null) this.#clearAlarm();
  }

  #clearAlarm(): void {
    this.#withoutVerdict = null;
    this.#parts.alarms.clear('no-vote');
  }

  async #judgement(): Promise<Judgement> {
    await this.#readCollateral();
    const { time, configuration: { attestation: { policy, trustRoot } } } = this.#parts;
    return { collateral: this.#collateral, policy, trustRoot, date: time.date };
  }

  async #readCollateral(): Promise<void> {
    const now = this.#parts.system.elapsedMs();
    if (now - this.#readAt < againMs) return;
    this.#readAt = now;
    try {
      this.#collateral = await readCollateralFolder(this.#parts.configuration.attestation.collateralPath);
    } catch (error) {
      if (!(error instanceof CollateralFolderFault)) throw error;
      this.#collateral = noCollateral;
      this.#parts.log.warn(error.message);
    }
  }
}

/**
 * Whether the attestation was not judged yet, or still needs a vote that could not be given.
 * @param sinceMs milliseconds since this program last tried
 */
function isDue(each: KeptAttestation, sinceMs: number): boolean {
  if (each.judgedAt === null) return true;
  const again = each.verdict === null && each.reason !== null && withoutVote.includes(each.reason) && !isEnded(each);
  return again && sinceMs >= againMs;
}

/** Sort key: attestations that this node must report by deadline, then all others by block. */
function urgency({ state, deadline, block }: KeptAttestation): number {
  return state === 'chosen' || state === 'sent' ? (deadline ?? 0) : Number.MAX_SAFE_INTEGER / 2 + block;
}
