import type { Client } from 'pg';
import type { Cluster } from '../cluster.ts';
import type { DatabaseServer } from '../database/databaseServer.ts';
import type { Simulation } from '../kernel/simulation.ts';
import type { OpenCall, Receivers } from './receivers.ts';

interface SeenDelivery {
  id: string;
  status: 'pending' | 'delivered' | 'given_up';
  attempts: number;
  failures: number;
  fence: string | null;
  body: string;
  error: string | null;
}

/** The lease of an attempt in ms; see `deliveryStore.ts`. */
const leaseMs = 60_000;
/** Largest number of open attempts of one process; see `sendDeliveries.ts`. */
const concurrency = 16;
/** Time in ms within which a new callback must have been tried, if a process is healthy. */
const beginMs = 60_000;

const statement = `SELECT coalesce(json_agg(d ORDER BY number), '[]') AS deliveries FROM (
  SELECT id, number, status, attempts, failures, fence, body, last_error AS error FROM webhook_deliveries WHERE status = 'pending' OR id = ANY($1::uuid[])) AS d`;

/** Checks the promises of webhooks after each commit. */
export class WebhooksMonitor {
  readonly #simulation: Simulation;
  readonly #cluster: () => Cluster;
  readonly #receivers: Receivers;
  readonly #rows = new Map<string, SeenDelivery & { sinceMs: number }>();
  /** Ids of the callbacks whose transaction was acknowledged, with their names. */
  readonly acknowledged = new Map<string, string>();
  /** Ids of the callbacks whose transaction was rolled back. */
  readonly rolledBack = new Set<string>();

  constructor(simulation: Simulation, server: DatabaseServer, cluster: () => Cluster, receivers: Receivers) {
    this.#simulation = simulation;
    this.#cluster = cluster;
    this.#receivers = receivers;
    server.inspect = (control, actors) => this.#inspect(control, actors[0]!);
    receivers.called = (call, host, body) => this.#checkCall(call, host, body);
  }

  get allEnded(): boolean {
    return [...this.#rows.values()].every(({ status }) => status !== 'pending');
  }

  get counts(): Record<string, number> {
    const counts: Record<string, number> = { calls: this.#receivers.calls };
    for (const { status } of this.#rows.values()) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  checkProgress(processes: readonly string[]): void {
    if (!processes.some((name) => this.#cluster().isHealthy(name, beginMs))) return;
    const late = [...this.#rows.values()].find(({ status, attempts, fence, sinceMs }) => status === 'pending' && attempts === 0 && fence === null && this.#simulation.nowMs - sinceMs > 2 * beginMs);
    if (late !== undefined) this.report('A new callback is sent soon', `${late.id} waits for ${Math.round(this.#simulation.nowMs - late.sinceMs)} ms`);
  }

  checkEnds(): void {
    for (const [id, name] of this.acknowledged) {
      const row = this.#rows.get(id);
      if (row === undefined) this.report('A recorded callback exists', `${name} was recorded and has no row`);
      else if (row.status !== 'delivered') this.report('A callback is delivered', `${name} is ${row.status}: ${row.error}`);
    }
    for (const id of this.#receivers.bodies.keys()) if (!this.#rows.has(id)) this.report('No callback is sent for a transaction that did not commit', id);
  }

  report(promise: string, observed: string): void {
    this.#simulation.report(promise, observed);
  }

  #checkCall(call: OpenCall, host: string, body: string): void {
    const { id, process } = call;
    const row = this.#rows.get(id);
    if (row === undefined) return this.report('No callback is sent for a transaction that did not commit', id);
    if (row.body !== body) this.report('Each attempt sends the same text', id);
    const others = [...this.#receivers.open].filter((each) => each.id === id && each.process !== process && !each.process.paused && this.#simulation.nowMs - each.sinceMs < leaseMs);
    // A process that is cut off from the database stops an attempt within 10 s, long before its lease is over.
    if (others.length > 0) this.report('One process at a time attempts a callback', `${id}: ${process.name} begins while ${others[0]!.process.name} waits for the answer`);
    const own = [...this.#receivers.open].filter((each) => each.process === process).length;
    if (own >= concurrency) this.report(`A process has at most ${concurrency} open attempts`, `${process.name} begins attempt ${own + 1}, to ${host}`);
  }

  async #inspect(control: Client, actor: string): Promise<void> {
    const { rows: [found] } = await control.query<{ deliveries: SeenDelivery[] }>({ name: 'inspect webhooks', text: statement, values: [[...this.#rows.values()].filter(({ status }) => status === 'pending').map(({ id }) => id)] });
    for (const row of found!.deliveries) {
      const old = this.#rows.get(row.id);
      this.#rows.set(row.id, { ...row, sinceMs: old?.sinceMs ?? this.#simulation.nowMs });
      if (old !== undefined && row.attempts > old.attempts + 1) this.report('Each attempt is counted once', `${row.id} has ${row.attempts} attempts after ${old.attempts}`);
      if (this.rolledBack.has(row.id)) this.report('No callback is sent for a transaction that did not commit', row.id);
      if (old?.status === row.status) continue;
      if (old !== undefined && old.status !== 'pending') this.report('An ended callback never changes', `${row.id} was ${old.status} and is ${row.status}`);
      this.#simulation.story.tell(actor, `callback ${row.id.slice(0, 8)} is ${row.status}`);
      if (row.status === 'delivered' && !this.#receivers.accepted.has(row.id)) this.report('A delivered callback was accepted by its receiver', row.id);
      if (row.status === 'given_up') this.report('A callback is tried for a day', `${row.id} is given up after ${row.attempts} attempts`);
    }
  }
}
