import { follow } from '@vouch/platform/database/follow';
import type { Background } from '@vouch/platform/process/repeat';
import type { Platform } from '@vouch/platform/product/product';
import { experimentsChannel, listExperiments, type Experiment } from './experimentStore.ts';

/** Longest time between two readings of the database; notifications cause earlier readings. */
const pollMs = 5_000;

/** The experiments of all organizations, in the memory of one process, so that answers need no database. */
export class ExperimentBook {
  private readonly database: Platform['database'];
  private experiments: ReadonlyMap<string, Experiment> | null = null;
  private refreshing: Promise<void> = Promise.resolve();

  constructor({ database }: Pick<Platform, 'database'>) {
    this.database = database;
  }

  /** Whether the experiments were read once. Before that, `refresh` must be awaited. */
  get isRead(): boolean {
    return this.experiments !== null;
  }

  /** Reads all experiments. @throws Problem database-unavailable */
  refresh(): Promise<void> {
    const refreshing = this.refreshing.catch(() => undefined).then(async () => {
      const listed = await listExperiments(this.database, null);
      this.experiments = new Map(listed.map((experiment) => [keyOf(experiment.organizationId, experiment.id), experiment]));
    });
    this.refreshing = refreshing;
    return refreshing;
  }

  /** Returns an experiment as last read; null if there is none. */
  find(organizationId: string, id: string): Experiment | null {
    return this.experiments?.get(keyOf(organizationId, id)) ?? null;
  }
}

function keyOf(organizationId: string, id: string): string {
  return `${organizationId}/${id}`;
}

/** Keeps the experiments of a process up to date until `stop` is called. */
export function followExperiments(platform: Pick<Platform, 'database' | 'log' | 'timers'>, book: ExperimentBook): Background {
  return follow(platform, { channel: experimentsChannel, pollMs, what: 'experiments' }, () => book.refresh());
}
