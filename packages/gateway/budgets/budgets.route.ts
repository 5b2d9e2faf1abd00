import type { Connection } from '@vouch/platform/database/database';
import { typed } from '@vouch/platform/http/request';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { budgetScopes } from './budget.ts';
import type { BudgetPolicies } from './budgetPolicy.ts';
import { BudgetChange, BudgetReport, changeBudgets, changeReporterBudgets, ReporterBudgetChange, parseSubject, reportBudgets } from './budgetReport.ts';

/** Dependencies of the budget routes. */
export interface BudgetParts {
  service: string;
  policies: BudgetPolicies;
  /** Deployment name of the counters; a prefix until the chain was first reached. */
  deployment(): string;
}

/**
 * Adds the routes that read and change budgets, for the operator of the gateway.
 * @param parts throws Problem `chain-not-configured` if the deployment has no chain
 */
export function budgetRoutes(server: FastifyInstance, parts: () => BudgetParts, database: Connection, clock: Clock): void {
  const report = (subject: string | null, day?: string) => {
    const { service } = parts();
    return reportBudgets(database, { service, deployment: parts().deployment(), now: clock.now(), day }, subject);
  };
  typed(server).get('/gateway/budgets', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: {
      operationId: 'getBudgets',
      summary: 'Gas budgets and their remaining gas',
      description: 'Per UTC day and kind of message: for each signer, for each license that backs signers, and in total.',
      tags: ['gateway'],
      querystring: Type.Object({
        day: Type.Optional(Type.String({ format: 'date', description: 'A UTC day. Default: today.' })),
        signer: Type.Optional(Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', description: 'Ethereum address of the signer to list. Without this parameter, the answer lists the signers that spent the most gas.' })),
        license: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,77}|unknown)$', description: 'Number of the license to list.' })),
      }),
      response: { 200: BudgetReport },
    },
  }, async (request, reply) => {
    const { day, signer, license } = request.query;
    reply.header('cache-control', 'no-store');
    return report(signer?.toLowerCase() ?? license ?? null, day);
  });
  typed(server).put('/gateway/budgets/keeper', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: {
      operationId: 'changeMaintenanceBudgets',
      summary: 'Change budgets of maintenance transactions',
      description: 'Gas per UTC day for the transactions that the gateway sends for nodes without a message: `activity`, `randomness` and `conclusion`.',
      tags: ['gateway'],
      body: ReporterBudgetChange,
      response: { 200: BudgetReport },
    },
  }, async (request, reply) => {
    await changeReporterBudgets(database, parts().service, request.body, new Date(clock.now()));
    reply.header('cache-control', 'no-store');
    return report(null);
  });
  typed(server).put('/gateway/budgets/:scope', {
    config: { scope: 'admin', operatorOnly: true, problems: ['chain-not-configured'] },
    schema: {
      operationId: 'changeBudgets',
      summary: 'Change gas budgets',
      description: 'The change applies to all gateway processes within two seconds. Messages that are already accepted stay accepted.',
      tags: ['gateway'],
      params: Type.Object({ scope: Type.Enum([...budgetScopes], { description: '`signer`, `license` or `total`.' }) }),
      body: BudgetChange,
      response: { 200: BudgetReport },
    },
  }, async (request, reply) => {
    const { scope } = request.params;
    const { service, policies } = parts();
    await changeBudgets(database, service, scope, request.body, new Date(clock.now()));
    policies.forget();
    reply.header('cache-control', 'no-store');
    const subject = parseSubject(scope, request.body.subject ?? '');
    return report(subject === '' ? null : subject);
  });
}
