import { resolve } from 'node:path';
import type { CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { endsSoon } from '../doctor/collateralFindings.ts';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import { isEnded } from '../state/nodeState.ts';
import { heldPlatforms, neededParts, seenPlatforms } from './neededParts.ts';
import { reportFolder } from './reportFolder.ts';
import { updateCollateral, type PartResult } from './updateCollateral.ts';

/** Interval of checks whether an attestation waits for collateral. */
const tickMs = 5_000;
/** Interval at which the folder is read and verified again. */
const lookMs = 600_000;
/** Interval between fetches. Intel reissues collateral daily, and revocations should take effect on all nodes at about the same time. */
const againMs = 86_400_000;
/** Maximum random delay of the first fetch, so that nodes started together do not fetch together. */
const maxFirstMs = 3_600_000;
/** Maximum random delay of a fetch for a waiting attestation, so that nodes do not fetch together. The report window is half an hour. */
const maxLackMs = 30_000;
const retryMsFirst = 60_000;
const maxRetryMs = 6 * 3_600_000;
/** The same while the collateral allows no votes. Half of the report window is a quarter of an hour. */
const maxRetryMsWithout = 300_000;

/** The parts of the node that the lane uses. */
type CollateralParts = Pick<NodeParts, 'configuration' | 'connect' | 'system' | 'signal' | 'log' | 'alarms' | 'collateral'>
  & { time: Pick<NodeParts['time'], 'date' | 'doubtful'>; record: Pick<NodeParts['record'], 'all'> };

/** Keeps collateral up to date when attestation.collateral_url is set, and raises an alarm before the collateral expires. */
export class CollateralLane {
  readonly #parts: CollateralParts;
  readonly #stateFolder: string;
  /** Attestations for which collateral was fetched already. */
  #servedFor: ReadonlySet<string> = new Set();
  /** Times by `elapsedMs`: a clock that is set back by a month must not postpone a fetch by a month. */
  #lookedAt = -Infinity;
  #dueAt: number | null = null;
  #failedInRow = 0;
  /** Why the last update was incomplete; empty after a complete update. */
  #fault = '';

  /** @param stateFolder folder of the node's state, which has the quotes that the node has seen */
  constructor(parts: CollateralParts, stateFolder: string) {
    this.#parts = parts;
    this.#stateFolder = stateFolder;
  }

  async run(): Promise<void> {
    const { system, signal, time } = this.#parts;
    while (!signal.aborted) {
      if (!time.doubtful) await this.#tick(system.elapsedMs(), time.date);
      await system.timers.sleep(tickMs, signal);
    }
  }

  /** @param now by `elapsedMs`; date: at which collateral must be valid; constant during a check, even if the clock is changed meanwhile */
  async #tick(now: number, date: Date): Promise<void> {
    const { configuration: { attestation: { fetching } }, system: { random } } = this.#parts;
    const automatic = fetching.url !== null && fetching.automatic;
    if (automatic && this.#dueAt !== null && this.#failedInRow === 0 && this.#waiting().some((id) => !this.#servedFor.has(id))) {
      this.#dueAt = Math.min(this.#dueAt, now + maxLackMs * random.fraction());
    }
    const due = automatic && this.#dueAt !== null && now >= this.#dueAt;
    if (!due && now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    const report = await this.#report(date);
    if (!automatic) return this.#alarm(report, date, 'attestation.collateral_url is not set, or attestation.collateral_update is false');
    this.#dueAt ??= isShort(report, date) ? now : now + maxFirstMs * random.fraction();
    if (!report.complete) this.#dueAt = Math.min(this.#dueAt, now + this.#retryMs(false));
    if (now < this.#dueAt) return this.#alarm(report, date, this.#fault);
    await this.#update(fetching.url ?? '', now, date);
    this.#alarm(await this.#report(date), date, this.#fault);
  }

  async #report(date: Date): Promise<CollateralReport> {
    const { configuration: { attestation: { collateralPath, trustRoot } }, collateral } = this.#parts;
    const report = await reportFolder(collateralPath, date, trustRoot);
    collateral.complete = report.complete;
    collateral.validUntil = report.validUntil === null ? null : Date.parse(report.validUntil);
    return report;
  }

  /** Returns the ids of attestations that could not be verified for lack of collateral. */
  #waiting(): string[] {
    return [...this.#parts.record.all()].filter((each) => !isEnded(each) && (each.reason === 'collateral-missing' || each.reason === 'collateral-stale')).map(({ attestationId }) => attestationId);
  }

  async #update(service: string, now: number, date: Date): Promise<void> {
    const { configuration: { attestation: { collateralPath, trustRoot } }, connect, system, signal, log, collateral } = this.#parts;
    this.#servedFor = new Set(this.#waiting());
    let report: CollateralReport | null = null;
    try {
      const needed = neededParts(await seenPlatforms([this.#stateFolder], trustRoot, date), await heldPlatforms(collateralPath));
      this.#note(await updateCollateral({ folder: resolve(collateralPath), service, parts: needed, trustRoot, date, timers: system.timers, signal, connect }));
      report = await this.#report(date);
      if (this.#fault === '' && isShort(report, date)) this.#fault = `${new URL(service).host} does not offer newer collateral, or not all required parts`;
    } catch (error) {
      if (signal.aborted) return;
      this.#fault = messageOf(error);
    }
    if (this.#fault === '') {
      this.#failedInRow = 0;
      collateral.updatedAt = system.clock.now();
      this.#dueAt = now + againMs * (0.9 + 0.2 * system.random.fraction());
      return;
    }
    this.#failedInRow += 1;
    collateral.failures += 1;
    const waitMs = this.#retryMs(report?.complete === true);
    this.#dueAt = now + waitMs;
    log.warn(`Collateral could not be fetched; next attempt in ${Math.ceil(waitMs / 60_000)} min: ${this.#fault}`);
  }

  /** Draws the time until another attempt. @param complete whether the node can vote meanwhile */
  #retryMs(complete: boolean): number {
    const doubled = retryMsFirst * 2 ** Math.max(0, this.#failedInRow - 1);
    return Math.min(doubled, complete ? maxRetryMs : maxRetryMsWithout) * (0.5 + this.#parts.system.random.fraction());
  }

  #note(results: readonly PartResult[]): void {
    this.#fault = results.filter(({ state }) => state === 'failed').map(({ sentence }) => sentence).join(' ');
    const updated = results.filter(({ state }) => state === 'updated');
    if (updated.length > 0) this.#parts.log.info({ files: updated.map(({ file }) => file) }, `Collateral was fetched: ${updated.map(({ sentence }) => sentence).join(' ')}`);
  }

  /** @param because why collateral cannot be fetched; empty when it can */
  #alarm(report: CollateralReport, date: Date, because: string): void {
    const { alarms } = this.#parts;
    const ended = report.items.filter(({ state }) => state === 'stale').map(({ what }) => what);
    // Collateral that was never present is reported with the first attestation; this alarm is for existing collateral that will expire.
    if (because === '' || (ended.length === 0 && !endsSoon(report.validUntil, date))) return alarms.clear('collateral-ending');
    const state = ended.length > 0 ? `The collateral has ended (${ended.join(', ')}), so this node does not vote on attestations that need it.` : `The collateral is valid until ${report.validUntil ?? ''}; after that, this node does not vote.`;
    alarms.raise('collateral-ending', `${state} The node cannot renew the collateral: ${because}. Run verifier collateral update, or put newer files into attestation.collateral_path.`);
  }
}

function isShort({ complete, validUntil }: CollateralReport, date: Date): boolean {
  return !complete || endsSoon(validUntil, date);
}
