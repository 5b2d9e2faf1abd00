import type { Connection } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Registry } from 'prom-client';
import { addDeploymentGauge } from '../deployments/deploymentGauges.ts';
import { countDays } from './activityStore.ts';

/** Dependencies of the gauge of days. */
export interface DayMeasures {
  metrics: Registry;
  connection: Connection;
  log: Logger;
  /** Name of the deployment in the settings. */
  name: string;
  /** Deployment name of the rows; rejects until the chain was first reached. */
  deployment(): Promise<string>;
}

/** Registers the gauge of credited, waiting and lost days of nodes. */
export function measureDays({ metrics, connection, log, name, deployment }: DayMeasures): void {
  addDeploymentGauge(metrics, name, log, {
    name: 'vouch_gateway_days', labels: ['outcome'],
    help: 'Days of nodes in the last 31 days by their state in the contract: credited, waiting for a transaction, or lost (over and not credited).',
    async read(set) {
      const counted = new Map((await countDays(connection, await deployment())).map(({ outcome, days }) => [outcome, days]));
      // Reports 0 as well, because an alert on the first lost day needs the previous value.
      for (const outcome of ['credited', 'waiting', 'lost'] as const) set({ outcome }, counted.get(outcome) ?? 0);
    },
  });
}
