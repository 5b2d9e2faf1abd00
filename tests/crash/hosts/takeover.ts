import { Client } from 'pg';
import { leaseSeconds, waitUntil } from '../harness/place.ts';

/**
 * What the run of a lost worker waits for: `lease`, until the lease has expired and the run is queued again; `delay`, until the time of the next attempt,
 * which the second interruption of a stage and later ones postpone; `room`, while each other worker runs a video; `claim`, until a worker with room takes it.
 */
type TakeoverWait = 'lease' | 'delay' | 'room' | 'claim';

/** How long it took until other workers ran what a lost worker had run, in ms. */
export interface Takeover {
  totalMs: number;
  waits: Readonly<Record<TakeoverWait, number>>;
}

interface VideoRun {
  id: string;
  attempt: number;
  lease_until: Date | null;
  /** Whether a worker holds the lease. */
  held: boolean;
  delayed: boolean;
}

/** Watches the video runs in the database while a worker is lost. */
export class TakeoverWatch {
  readonly #client: Client;
  readonly #before: ReadonlyMap<string, number>;
  readonly #began = performance.now();

  private constructor(client: Client, before: ReadonlyMap<string, number>) {
    this.#client = client;
    this.#before = before;
  }

  /** Remembers the runs that workers hold now. Call before the loss. */
  static async begin(databaseUrl: string): Promise<TakeoverWatch> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const held = (await readRuns(client)).filter((run) => run.held);
    return new TakeoverWatch(client, new Map(held.map(({ id, attempt }) => [id, attempt])));
  }

  /**
   * Waits until each remembered run has ended or is with a live worker. Call after the loss.
   * @param liveWorkers number of the workers that are left; each runs one video at a time
   */
  async finish(liveWorkers: number): Promise<Takeover> {
    const lostAt = Date.now();
    const waits = { lease: 0, delay: 0, room: 0, claim: 0 };
    let last = this.#began;
    try {
      await waitUntil('each video run is with a live worker', async () => {
        const runs = await readRuns(this.#client);
        const left = runs.filter((run) => run.attempt === this.#before.get(run.id) && !renewedAfter(run, lostAt));
        const now = performance.now();
        const [next] = left;
        if (next !== undefined) waits[waitOf(next, runs, liveWorkers)] += now - last;
        last = now;
        return next === undefined;
      });
    } finally {
      await this.#client.end();
    }
    return { totalMs: performance.now() - this.#began, waits };
  }
}

/** Whether a live worker has renewed the lease: one that the lost worker took cannot last longer than this. */
function renewedAfter({ lease_until: until }: VideoRun, lostAt: number): boolean {
  return until !== null && until.getTime() > lostAt + leaseSeconds * 1_000;
}

function waitOf(run: VideoRun, runs: readonly VideoRun[], liveWorkers: number): TakeoverWait {
  if (run.lease_until !== null) return 'lease';
  if (run.delayed) return 'delay';
  return runs.filter(({ held }) => held).length >= liveWorkers ? 'room' : 'claim';
}

async function readRuns(client: Client): Promise<VideoRun[]> {
  const { rows } = await client.query<VideoRun>(
    `SELECT id, attempt, lease_until, coalesce(lease_until >= now(), false) AS held, run_after > now() AS delayed
     FROM jobs WHERE kind LIKE 'video%' AND status IN ('queued', 'running') ORDER BY number`);
  return rows;
}
