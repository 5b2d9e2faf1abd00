import type { Client } from 'pg';
import type { Cluster } from '../cluster.ts';
import type { DatabaseServer } from '../database/databaseServer.ts';
import type { Simulation } from '../kernel/simulation.ts';
import { maxAttempts, type PlannedJob } from './workload.ts';

/** A row of the table `jobs`, as far as promises concern it; times in ms since 1970. */
export interface SeenJob {
  id: string;
  number: number;
  kind: string;
  subject: string;
  organization: string;
  serial_key: string | null;
  status: 'queued' | 'running' | 'completed' | 'error' | 'cancelled';
  fence: string | null;
  lease_until: number | null;
  run_after: number;
  failures: number;
  interruptions: number;
  progress: number;
  cancel_requested: boolean;
  checkpoints: Record<string, unknown>;
  completed_at: number | null;
  code: string | null;
}

interface Effect {
  id: number;
  job: string;
  what: 'completed' | 'ended';
}

/** Work on a stage that is under way in a process. */
interface Work {
  process: string;
  signal: AbortSignal;
}

/** Largest number of running jobs of one kind and organization. */
export const organizationLimit = 3;
/** Time in ms for which transitions near a step of the database's clock are not judged by that clock. */
const clockDoubtMs = 45_000;
/** Time in ms after which an expired lease of a dead worker must have been taken over, if a worker is healthy. */
const takeoverMs = 30_000;
/** Time in ms after which a due job must have begun, if a worker is healthy and nothing runs. */
const beginMs = 90_000;

const statement = `SELECT
  (SELECT coalesce(json_agg(seen ORDER BY number), '[]') FROM (
     SELECT id, number, kind, subject, organization_id AS organization, serial_key, status, fence, extract(epoch FROM lease_until) * 1000 AS lease_until,
       extract(epoch FROM run_after) * 1000 AS run_after, failures, interruptions, progress, cancel_requested, checkpoints,
       extract(epoch FROM completed_at) * 1000 AS completed_at, error->>'code' AS code
     FROM jobs WHERE status IN ('queued', 'running') OR id = ANY($1::uuid[])) AS seen) AS jobs,
  (SELECT coalesce(json_agg(effects ORDER BY id), '[]') FROM simulation_effects AS effects WHERE id > $2) AS effects`;

/** Checks the promises of the job queue after each commit, and remembers what clients were told. */
export class JobsMonitor {
  readonly #simulation: Simulation;
  readonly #server: DatabaseServer;
  readonly #cluster: () => Cluster;
  readonly #rows = new Map<string, SeenJob>();
  readonly #holders = new Map<string, readonly string[]>();
  readonly #effects = new Map<string, Effect[]>();
  readonly #working = new Map<string, Set<Work>>();
  readonly #thrown = new Map<string, number>();
  /** Ids of jobs whose creation was acknowledged. */
  readonly acknowledged = new Map<string, PlannedJob>();
  readonly cancelsSent = new Set<string>();
  #lastEffect = 0;
  #idleSinceMs = 0;

  constructor(simulation: Simulation, server: DatabaseServer, cluster: () => Cluster) {
    this.#simulation = simulation;
    this.#server = server;
    this.#cluster = cluster;
    server.inspect = (control, actors) => this.#inspect(control, actors);
  }

  get allEnded(): boolean {
    return [...this.acknowledged.keys()].every((id) => isEnded(this.#rows.get(id))) && [...this.#rows.values()].every(isEnded);
  }

  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { status } of this.#rows.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  /** Called when a process begins the work of a stage. @returns a function for the end of the work */
  begin(job: string, stage: string, work: Work): () => void {
    const row = this.#rows.get(job);
    if (row !== undefined && Object.hasOwn(row.checkpoints, stage)) this.#report('A finished stage is not repeated', `${row.subject}, stage ${stage}, in ${work.process}`);
    const others = this.#working.get(job) ?? new Set();
    this.#working.set(job, others);
    for (const other of others) {
      const { process } = this.#cluster().member(other.process)!;
      if (other.signal.aborted || !process.alive || process.paused || this.#isClockDoubtful()) continue;
      this.#report('Work stops before another process takes the job', `${row?.subject}: ${work.process} begins while ${other.process} works`);
    }
    others.add(work);
    return () => others.delete(work);
  }

  /** Called when the work of a job throws an unexpected error. */
  countThrown(job: string): number {
    const thrown = (this.#thrown.get(job) ?? 0) + 1;
    this.#thrown.set(job, thrown);
    return thrown;
  }

  thrownBy(job: string): number {
    return this.#thrown.get(job) ?? 0;
  }

  /** Forgets the work of a life of a process that was killed. */
  forget(process: string): void {
    for (const works of this.#working.values()) for (const work of works) if (work.process === process) works.delete(work);
  }

  /** Checks what must happen within a time. */
  checkProgress(workers: readonly string[]): void {
    const open = [...this.#rows.values()].filter((row) => !isEnded(row));
    if (open.some(({ status }) => status === 'running')) this.#idleSinceMs = this.#simulation.nowMs;
    const lost = [...this.acknowledged].find(([id]) => !this.#rows.has(id));
    if (lost !== undefined) this.#report('An acknowledged job exists', `${lost[1].name} was acknowledged and has no row`);
    const now = this.#server.clockMs;
    const healthy = (forMs: number): boolean => workers.some((name) => this.#cluster().isHealthy(name, forMs)) && !this.#isClockDoubtful();
    const orphan = open.find((row) => row.status === 'running' && row.lease_until! < now - takeoverMs);
    if (orphan !== undefined && healthy(takeoverMs)) this.#report('The job of a dead worker is taken over', `${orphan.subject}: the lease is over for ${Math.round(now - orphan.lease_until!)} ms`);
    const due = open.find((row) => row.status === 'queued' && row.run_after < now - beginMs);
    if (due !== undefined && this.#simulation.nowMs - this.#idleSinceMs > beginMs && healthy(beginMs)) this.#report('A due job begins', `${due.subject} is due for ${Math.round(now - due.run_after)} ms while nothing runs`);
  }

  /** Checks at the end of a run that each acknowledged job ended, with a reason that the run contains. */
  checkEnds(): void {
    for (const [id, planned] of this.acknowledged) {
      const row = this.#rows.get(id);
      if (row === undefined) this.#report('An acknowledged job exists', `${planned.name} was acknowledged and has no row`);
      else if (!isEnded(row)) this.#report('An acknowledged job ends', `${planned.name} is still ${row.status}`);
      else this.#checkReason(row, planned);
    }
  }

  #checkReason(row: SeenJob, { name, behaviour }: PlannedJob): void {
    const thrown = this.thrownBy(row.id);
    const reasons = {
      // If a worker loses its connection before it stores a failure, the failure does not count, so a job can complete after more of them.
      completed: behaviour.does === 'completes' || (behaviour.does === 'throws' && behaviour.times === thrown),
      cancelled: this.cancelsSent.has(row.id),
      error: row.code === 'job-abandoned' ? thrown >= maxAttempts || row.interruptions >= 19 : behaviour.does === 'refuses' && row.code === 'not-found',
      queued: false, running: false,
    };
    if (!reasons[row.status]) this.#report('A job ends with the reason that its work gave', `${name}, which ${behaviour.does}, ended with ${row.status} ${row.code ?? ''} after ${thrown} errors`);
  }

  async #inspect(control: Client, actors: readonly string[]): Promise<void> {
    const open = [...this.#rows.values()].filter((row) => !isEnded(row)).map(({ id }) => id);
    const { rows: [found] } = await control.query<{ jobs: SeenJob[]; effects: Effect[] }>({ name: 'inspect', text: statement, values: [open, this.#lastEffect] });
    for (const effect of found!.effects) {
      this.#lastEffect = effect.id;
      this.#effects.set(effect.job, [...this.#effects.get(effect.job) ?? [], effect]);
    }
    const before = new Map(this.#rows);
    for (const row of found!.jobs) this.#rows.set(row.id, row);
    for (const row of found!.jobs) this.#compare(before.get(row.id), row, actors, before);
    this.#checkLimits(found!.jobs);
  }

  #compare(old: SeenJob | undefined, row: SeenJob, actors: readonly string[], before: ReadonlyMap<string, SeenJob>): void {
    const { subject } = row;
    if (old !== undefined && isEnded(old)) return this.#report('An ended job never changes', `${subject} was ${old.status} and is ${row.status}`);
    if (row.fence !== null && row.fence !== old?.fence) this.#compareClaim(old, row, actors, before);
    if (old?.fence) this.#compareHeld(old, row, actors);
    if (old !== undefined && row.progress < old.progress) this.#report('Progress never decreases', `${subject}: ${old.progress} to ${row.progress}`);
    for (const [stage, result] of Object.entries(old?.checkpoints ?? {})) {
      if (JSON.stringify(row.checkpoints[stage]) !== JSON.stringify(result)) this.#report('The result of a finished stage never changes', `${subject}, stage ${stage}, by ${actors.join(', ')}`);
    }
    if (row.failures >= maxAttempts) this.#report('A job fails at most as often as its kind allows', `${subject} failed ${row.failures} times and is tried again`);
    if (old?.status !== row.status) this.#simulation.story.tell(actors[0]!, `${subject} is ${row.status}${row.code === null ? '' : ` (${row.code})`}`);
    if (isEnded(row)) this.#compareEnd(old, row);
  }

  #compareClaim(old: SeenJob | undefined, row: SeenJob, actors: readonly string[], before: ReadonlyMap<string, SeenJob>): void {
    this.#holders.set(row.fence!, actors);
    const now = this.#server.clockMs;
    if (old !== undefined && old.run_after > now + 1 && !this.#isClockDoubtful()) this.#report('A retry waits for its delay', `${row.subject} begins ${Math.round(old.run_after - now)} ms too early`);
    if (row.serial_key === null) return;
    const earlier = [...before.values()].find((other) => other.serial_key === row.serial_key && other.number < row.number && !isEnded(other) && !isEnded(this.#rows.get(other.id)));
    if (earlier !== undefined) this.#report('Jobs with one serial key run in order, one at a time', `${row.subject} begins before ${earlier.subject} has ended`);
  }

  #compareHeld(old: SeenJob, row: SeenJob, actors: readonly string[]): void {
    const holders = this.#holders.get(old.fence!) ?? [];
    if (actors.some((actor) => holders.includes(actor))) return;
    if (row.fence === old.fence) {
      const written = row.lease_until !== old.lease_until || row.progress !== old.progress || JSON.stringify(row.checkpoints) !== JSON.stringify(old.checkpoints);
      if (written) this.#report('Only the holder of a lease writes its job', `${row.subject}, held by ${holders.join(', ')}, was written by ${actors.join(', ')}`);
    } else if (old.lease_until! >= this.#server.clockMs && !this.#isClockDoubtful()) {
      this.#report('A lease is exclusive until it is over', `${row.subject}, held by ${holders.join(', ')} for another ${Math.round(old.lease_until! - this.#server.clockMs)} ms, was taken by ${actors.join(', ')}`);
    }
  }

  #compareEnd(old: SeenJob | undefined, row: SeenJob): void {
    const effects = this.#effects.get(row.id) ?? [];
    const wanted = row.status === 'completed' ? 'completed' : 'ended';
    if (effects.length !== 1 || effects[0]!.what !== wanted) this.#report('The end of a job takes effect exactly once', `${row.subject} is ${row.status} with the effects ${effects.map(({ what }) => what).join(', ') || 'none'}`);
    if (row.status === 'completed' && old?.cancel_requested === true) this.#report('An accepted cancellation is carried out', `${row.subject} was cancelled and then completed`);
  }

  #checkLimits(rows: readonly SeenJob[]): void {
    const running = new Map<string, number>();
    for (const row of rows) {
      if (row.status !== 'running') continue;
      const group = `${row.kind} of ${row.organization}`;
      running.set(group, (running.get(group) ?? 0) + 1);
      if (running.get(group)! > organizationLimit) this.#report('An organization runs at most as many jobs as allowed', `${running.get(group)} ${group}`);
    }
  }

  #isClockDoubtful(): boolean {
    return this.#simulation.nowMs - this.#server.lastClockStepAtMs < clockDoubtMs;
  }

  #report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }
}

function isEnded(row: SeenJob | undefined): boolean {
  return row !== undefined && row.completed_at !== null;
}
