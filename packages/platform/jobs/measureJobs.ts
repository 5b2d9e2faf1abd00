import { Gauge, type Registry } from 'prom-client';
import type { Connection } from '../database/database.ts';
import type { Logger } from '../log/logger.ts';
import { countJobs, type JobCount } from './jobState.ts';

/** Adds gauges for the number of jobs by kind and status, and for the waiting time of the oldest due job. The jobs are counted at each scrape. */
export function measureJobs(metrics: Registry, connection: Connection, log: Logger): void {
  const count = async (): Promise<JobCount[]> => {
    try {
      return await countJobs(connection);
    } catch (error) {
      // If the database is unavailable, these metrics are missing, but the other metrics are still served.
      log.warn({ err: error }, 'could not count the jobs for the metrics');
      return [];
    }
  };
  const jobs: Gauge = new Gauge({
    name: 'vouch_jobs',
    help: 'Jobs that are queued or running, or ended within the last hour.',
    labelNames: ['kind', 'status'],
    registers: [metrics],
    async collect() {
      const counts = await count();
      jobs.reset();
      for (const each of counts) jobs.set({ kind: each.kind, status: each.status }, each.count);
    },
  });
  const waiting: Gauge = new Gauge({
    name: 'vouch_jobs_oldest_waiting_seconds',
    help: 'Seconds for which the longest waiting job has been due.',
    labelNames: ['kind'],
    registers: [metrics],
    async collect() {
      const counts = await count();
      waiting.reset();
      for (const { kind, status, oldestSeconds } of counts) if (status === 'queued') waiting.set({ kind }, oldestSeconds);
    },
  });
}
