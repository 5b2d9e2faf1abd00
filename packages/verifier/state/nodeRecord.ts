import type { Hex } from '@vouch/chain/messages/operation';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { VerificationInputsStore } from './verificationInputsStore.ts';
import { InfoFiles } from './infoFiles.ts';
import { maxCheckpoints, maxEnded, isEnded, maxDays, type Checkpoint, type KeptAlarm, type KeptAttestation, type KeptDay, type KeptTransaction, type Membership, type NodeState } from './nodeState.ts';
import { writeNodeState } from './writeNodeState.ts';

/** Maximum age of the file while only the last scanned block changes. */
const quietSaveMs = 60_000;
/** Maximum number of attestations without chosen nodes, and of ended ones in the latest blocks; the oldest above this number are dropped. */
const maxOpen = 5_000;

/** The state of a running node, held in memory and saved as a whole. All its lists are bounded. */
export class NodeRecord {
  readonly infos: InfoFiles;
  readonly inputs: VerificationInputsStore;
  readonly #folder: string;
  readonly #system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>;
  readonly #fixed: Omit<NodeState, 'attestations' | 'checkpoints' | 'online' | 'alarms' | 'savedAt'>;
  readonly #attestations: Map<Hex, KeptAttestation>;
  #checkpoints: Checkpoint[];
  #online: { day: string; seconds: number }[];
  alarms: readonly KeptAlarm[];
  /** Whether the chain showed the node in the active set since the start of the program. */
  wasActive = false;
  #changed = true;
  #savedAt = Number.NEGATIVE_INFINITY;
  #saving: Promise<void> = Promise.resolve();

  constructor(folder: string, state: NodeState, system: Pick<SystemInterfaces, 'clock' | 'elapsedMs'>) {
    const { attestations, checkpoints, online, alarms, savedAt: _savedAt, ...fixed } = state;
    this.#folder = folder;
    this.#system = system;
    this.infos = new InfoFiles(folder);
    this.inputs = new VerificationInputsStore(folder);
    this.#fixed = { ...fixed, membership: { ...fixed.membership }, counts: { ...fixed.counts } };
    this.#attestations = new Map(attestations.map((each) => [each.attestationId, { ...each }]));
    this.#checkpoints = [...checkpoints];
    this.#online = online.map((day) => ({ ...day }));
    this.alarms = alarms;
  }

  get genesis(): Hex { return this.#fixed.genesis; }
  get membership(): Membership { return this.#fixed.membership; }
  get counts(): NodeState['counts'] { return this.#fixed.counts; }
  get standby(): NodeState['standby'] { return this.#fixed.standby; }
  get transactions(): NodeState['transactions'] { return this.#fixed.transactions; }
  get day(): KeptDay | null { return this.#fixed.day; }
  get countedDay(): number | null { return this.#fixed.countedDay; }
  get online(): NodeState['online'] { return this.#online; }
  get checkpoints(): readonly Checkpoint[] { return this.#checkpoints; }
  get last(): Checkpoint { return this.#checkpoints.at(-1) as Checkpoint; }
  get chainSeenAt(): number | null { return this.#fixed.chainSeenAt; }
  get lastChosenAt(): number | null { return this.#fixed.lastChosenAt; }
  get lastReportedAt(): number | null { return this.#fixed.lastReportedAt; }

  attestation(id: Hex): KeptAttestation | undefined { return this.#attestations.get(id); }
  all(): IterableIterator<KeptAttestation> { return this.#attestations.values(); }

  add(attestation: KeptAttestation): void {
    this.#attestations.set(attestation.attestationId, attestation);
    this.#changed = true;
  }

  /** Changes an attestation and marks the record for saving. */
  change(attestation: KeptAttestation, changes: Partial<KeptAttestation>): void {
    Object.assign(attestation, changes);
    this.#changed = true;
  }

  setMembership(changes: Partial<Membership>): void {
    const important = (Object.keys(changes) as (keyof Membership)[]).some((key) => key !== 'readAt' && this.#fixed.membership[key] !== changes[key]);
    Object.assign(this.#fixed.membership, changes);
    this.wasActive ||= changes.active === true;
    this.#changed ||= important;
  }

  /** @param countedDay newest day that is counted */
  setDay(day: KeptDay, countedDay: number): void {
    const { day: before } = this.#fixed;
    this.#changed ||= before === null || before.index !== day.index || before.creditedWeight !== day.creditedWeight;
    this.#changed ||= this.#fixed.countedDay !== countedDay;
    this.#fixed.day = day;
    this.#fixed.countedDay = countedDay;
  }

  setStandby(standby: NodeState['standby']): void {
    this.#fixed.standby = standby;
    this.#changed = true;
  }

  setTransactions(transactions: readonly KeptTransaction[]): void {
    this.#fixed.transactions = transactions;
    this.#changed = true;
  }

  setAlarms(alarms: readonly KeptAlarm[]): void {
    this.alarms = alarms;
    this.#changed = true;
  }

  note(times: { chainSeenAt?: number; lastChosenAt?: number; lastReportedAt?: number }): void {
    Object.assign(this.#fixed, times);
    this.#changed ||= times.lastChosenAt !== undefined || times.lastReportedAt !== undefined;
  }

  count(what: keyof NodeState['counts']): void {
    this.#fixed.counts[what] += 1;
    this.#changed = true;
  }

  /** Takes back a count, because the chain shows another end of an attestation. */
  uncount(what: keyof NodeState['counts']): void {
    this.#fixed.counts[what] -= 1;
    this.#changed = true;
  }

  /** Records a new last scanned block. */
  advance(checkpoint: Checkpoint): void {
    if (checkpoint.block <= this.last.block) return;
    this.#checkpoints = [...this.#checkpoints, checkpoint].slice(-maxCheckpoints);
  }

  /** Rewinds the record to before a reorganization. */
  rewind(checkpoints: readonly Checkpoint[]): void {
    this.#checkpoints = [...checkpoints];
    this.#changed = true;
  }

  /** Adds time in which the node was active and the chain answered. */
  addOnline(seconds: number): void {
    const day = new Date(this.#system.clock.now()).toISOString().slice(0, 10);
    const today = this.#online.find((each) => each.day === day);
    if (today === undefined) this.#online = [...this.#online, { day, seconds }].slice(-maxDays);
    else today.seconds += seconds;
  }

  snapshot(): NodeState {
    return {
      ...this.#fixed, version: 1, checkpoints: this.#checkpoints, savedAt: this.#system.clock.now(), attestations: [...this.#attestations.values()],
      online: this.#online.map(({ day, seconds }) => ({ day, seconds: Math.floor(seconds) })), alarms: this.alarms,
    };
  }

  /**
   * Saves changes. A change of the last scanned block alone is saved once a minute, because scanning blocks again does no harm.
   * @param now save at once in any case
   */
  async save(now = false): Promise<void> {
    const saving = this.#saving.then(async () => {
      if (!this.#changed && !now && !this.infos.waits && this.#system.elapsedMs() - this.#savedAt < quietSaveMs) return;
      this.#changed = false;
      const dropped = this.#bound();
      try {
        await writeNodeState(this.#folder, this.snapshot());
        this.#savedAt = this.#system.elapsedMs();
        await this.infos.flush();
        if (dropped || this.infos.full) await this.infos.prune(new Set(this.#attestations.keys()), this.#unjudged());
      } catch (error) {
        this.#changed = true;
        throw error;
      }
    });
    this.#saving = saving.catch(() => {});
    return saving;
  }

  #unjudged(): ReadonlySet<string> {
    const open = [...this.#attestations.values()].filter((each) => each.judgedAt === null || (each.verdict === null && !isEnded(each)));
    return new Set(open.map(({ attestationId }) => attestationId));
  }

  /** Drops the oldest ended attestations and the oldest attestations without chosen nodes. */
  #bound(): boolean {
    const all = [...this.#attestations.values()];
    const ended = all.filter(isEnded);
    const oldest = this.#checkpoints[0]?.block ?? 0;
    // Blocks after the oldest checkpoint are scanned again, and an attestation in them that is unknown would count as a new one.
    const settled = ended.slice(0, Math.max(0, ended.length - maxEnded)).filter(({ block, chosenBlock }, at) => Math.max(block, chosenBlock ?? 0) <= oldest || at < ended.length - maxOpen);
    const waiting = all.filter(({ state }) => state === 'announced');
    const dropped = [...settled, ...waiting.slice(0, Math.max(0, waiting.length - maxOpen))];
    for (const { attestationId } of dropped) this.#attestations.delete(attestationId);
    return dropped.length > 0;
  }
}
