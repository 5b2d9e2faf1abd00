import type { Connection } from '@vouch/platform/database/database';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import { Counter, type Registry } from 'prom-client';
import { addDeploymentGauge } from '../deployments/deploymentGauges.ts';
import type { BudgetParts } from './budgets.route.ts';
import { reportReporterBudgets, reportTotals } from './budgetReport.ts';

/** Dependencies of the budget gauge. */
export interface BudgetMeasures {
  metrics: Registry;
  connection: Connection;
  clock: Clock;
  log: Logger;
  /** Name of the deployment in the settings. */
  name: string;
}

export type RefusalCounter = Counter<'scope' | 'kind' | 'deployment'>;

/** Counts messages that exceeded a budget. */
export function createRefusalCounter(metrics: Registry): RefusalCounter {
  return new Counter({
    name: 'vouch_gateway_budget_refusals_total',
    help: 'Messages rejected because a gas budget is exhausted, by scope of the budget (signer, license, total) and kind.',
    labelNames: ['scope', 'kind', 'deployment'],
    registers: [metrics],
  });
}

/** Registers the gauge of today's gas, for all signers together and for the activity reporter; each scrape reads the database. */
export function measureBudgets({ metrics, connection, clock, log, name }: BudgetMeasures, parts: BudgetParts): void {
  addDeploymentGauge(metrics, name, log, {
    name: 'vouch_gateway_budget_gas', labels: ['kind', 'state'],
    help: 'Gas of the current UTC day by kind of message or maintenance transaction: spent, reserved for pending transactions, and left of the total budget.',
    async read(set) {
      const question = { service: parts.service, deployment: parts.deployment(), now: clock.now() };
      const { total } = await reportTotals(connection, question);
      for (const { kind, spent, reserved, left } of [...total, ...(await reportReporterBudgets(connection, question))]) {
        set({ kind, state: 'spent' }, spent);
        set({ kind, state: 'reserved' }, reserved);
        set({ kind, state: 'left' }, left);
      }
    },
  });
}
