import type { Connection } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import { Gauge, type Registry } from 'prom-client';
import { countDays } from './activityStore.ts';

export interface DayMeasures {
  metrics: Registry;
  connection: Connection;
  log: Logger;
  /** Rejects while the chain was never reached. */
  deployment(): Promise<string>;
}

/** Adds how many days of nodes the contract credited, and how many passed uncredited although the node was active. */
export function measureDays({ metrics, connection, log, deployment }: DayMeasures): void {
  const gauge: Gauge = new Gauge({
    name: 'vouch_gateway_days', labelNames: ['outcome'], registers: [metrics],
    help: 'Days of nodes in the last 31 days by what the contract says: credited, waiting for a transaction, or lost (over, and not credited).',
    async collect() {
      gauge.reset();
      try {
        const counted = new Map((await countDays(connection, await deployment())).map(({ outcome, days }) => [outcome, days]));
        // Also where there is none: an alert on the first lost day compares it with the 0 before.
        for (const outcome of ['credited', 'waiting', 'lost'] as const) gauge.set({ outcome }, counted.get(outcome) ?? 0);
      } catch (error) {
        // Without database or chain the other metrics are answered all the same.
        log.warn({ reason: (error as Error).message }, 'vouch_gateway_days could not be read');
      }
    },
  });
}
