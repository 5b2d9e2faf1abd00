import type { BudgetReport } from '@vouch/gateway/budgets/budgetReport';
import type { Database } from '@vouch/platform/database/database';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';
import { formatTable } from '../terminal/table.ts';
import { addTransactions, ofDeployment } from './gatewayTransactions.ts';

interface Options {
  json?: boolean;
  deployment?: string;
}

interface Tools {
  database: Database;
  service: string;
  now: number;
}

/**
 * Calls `work` with the database and the service name of a deployment. Default: the deployment of the settings, or the deployment
 * on the local chain if one runs on this machine.
 */
async function withGateway<Result>({ deployment }: Options, work: (tools: Tools) => Promise<Result>): Promise<Result> {
  const { withPlatform } = await import('../wiring/withPlatform.ts');
  const { chooseDeployment } = await import('./chooseDeployment.ts');
  const service = (await chooseDeployment(deployment)).service;
  if (service === null) {
    throw new CommandFault(exitCodes.usage, 'No chain is configured: budgets belong to a chain and a contract. Set VOUCH_CHAIN_ID and VOUCH_CONTRACT_ADDRESS, select a deployment with --deployment, or start a local chain with vouch serve --devnet.');
  }
  return withPlatform((platform) => work({ database: platform.database, service, now: platform.clock.now() }));
}

export function addGateway(program: Command): void {
  const gateway = program.command('gateway').description('Show and change the gas budgets, the lists of signers and the pending transactions of a running gateway.');
  addBudgets(gateway);
  addBudget(gateway);
  addSigners(gateway);
  addList(gateway, 'allow', 'Add a signer to the allow list. While the allow list has entries, the gateway serves only its signers.');
  addList(gateway, 'deny', 'Add a signer to the deny list. The gateway rejects messages of this signer.');
  addTransactions(gateway);
}

function addBudgets(gateway: Command): void {
  gateway
    .command('budgets')
    .description('Show the gas budgets, the remaining gas, and who used the most.')
    .option('--day <date>', 'a UTC day such as 2026-11-22 (default: today)')
    .option(...ofDeployment)
    .option('--json', 'print the result as JSON')
    .action(async (options: Options & { day?: string }) => {
      const { day, json } = options;
      if (day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day)) throw new CommandFault(exitCodes.usage, `--day is ${JSON.stringify(day)}; it must be a date such as 2026-11-22.`);
      const { reportBudgets } = await import('@vouch/gateway/budgets/budgetReport');
      const report = await withGateway(options, ({ database, service, now }) => reportBudgets(database, { service, deployment: `${service}:`, now, day }, null));
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : describeReport(report));
    });
}

function describeReport({ day, ends_at: end, budgets, total, own, most_used: most, keeper }: BudgetReport): string {
  const tables = [
    formatTable(`Gas of ${day}, which ends at ${end}`, ['kind', 'spent', 'pending', 'left', 'total per day', 'signer per day', 'license per day'],
      total.map((each) => [each.kind, each.spent, each.reserved, each.left, each.gas_per_day, budgets.signer[each.kind], budgets.license[each.kind]])),
    formatTable('Maintenance transactions', ['kind', 'spent', 'pending', 'left', 'per day'],
      keeper.map((each) => [each.kind, each.spent, each.reserved, each.left, each.gas_per_day])),
  ];
  if (own.length > 0) tables.push(formatTable('Individual budgets', ['scope', 'subject', 'kind', 'per day'], own.map((each) => [each.scope, each.subject, each.kind, each.gas_per_day])));
  if (most.length > 0) {
    tables.push(formatTable('Signers and licenses that used the most', ['scope', 'subject', 'kind', 'spent', 'pending', 'left'],
      most.slice(0, 20).map((each) => [each.scope, each.subject ?? '', each.kind, each.spent, each.reserved, each.left])));
  }
  return `${tables.join('\n\n')}\n`;
}

function addBudget(gateway: Command): void {
  gateway
    .command('budget <scope> <kind> <gas>')
    .description('Change a gas budget. Running gateways apply the change within two seconds.')
    .option('--subject <subject>', 'only this signer (its Ethereum address) or license (its number)')
    .option(...ofDeployment)
    .option('--json', 'print the budgets as JSON')
    .addHelpText('after', `
<scope>: signer, license or total. <kind>: enter, exit, commission, claimer or report. <gas>: a whole number per day, or default.
The scope keeper is the budget of the transactions that the gateway sends for nodes without a message; its kinds are activity,
randomness and conclusion.

  vouch gateway budget total report 8000000000
  vouch gateway budget license claimer 0 --subject 17
  vouch gateway budget keeper activity 800000000`)
    .action(async (scope: string, kind: string, gas: string, options: Options & { subject?: string }) => {
      const { subject, json } = options;
      const { budgetScopes, defaultBudgets } = await import('@vouch/gateway/budgets/budget');
      const { reporterKinds } = await import('@vouch/gateway/budgets/reporterBudget');
      const { changeBudgets, changeReporterBudgets, reportBudgets } = await import('@vouch/gateway/budgets/budgetReport');
      const known = oneOf('The scope', [...budgetScopes, 'keeper'], scope);
      if (known === 'keeper' && subject !== undefined) throw new CommandFault(exitCodes.usage, `--subject is ${JSON.stringify(subject)}; the scope keeper has no subject.`);
      const change = { gas: { [oneOf('The kind', known === 'keeper' ? reporterKinds : Object.keys(defaultBudgets.total), kind)]: parseGas(gas) }, ...(subject === undefined ? {} : { subject }) };
      const report = await withGateway(options, async ({ database, service, now }) => {
        if (known === 'keeper') await changeReporterBudgets(database, service, change, new Date(now));
        else await changeBudgets(database, service, known, change, new Date(now));
        return reportBudgets(database, { service, deployment: `${service}:`, now }, null);
      });
      process.stdout.write(json ? `${JSON.stringify(report)}\n` : describeReport(report));
    });
}

function addSigners(gateway: Command): void {
  gateway
    .command('signers')
    .description('Show the deny list and the allow list of signers.')
    .option(...ofDeployment)
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => printLists(options, async () => {}));
}

function addList(gateway: Command, list: 'allow' | 'deny', description: string): void {
  gateway
    .command(`${list} <address>`)
    .description(description)
    .option('--note <text>', 'reason, shown in the lists')
    .option('--remove', 'remove the signer from the list')
    .option(...ofDeployment)
    .option('--json', 'print both lists as JSON')
    .action(async (address: string, options: Options & { note?: string; remove?: boolean }) => {
      const { note, remove } = options;
      if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw new CommandFault(exitCodes.usage, `The Ethereum address is ${JSON.stringify(address)}; it must be 0x and 40 hex digits.`);
      const { listSigner, unlistSigner } = await import('@vouch/gateway/budgets/budgetStore');
      const signer = address.toLowerCase();
      await printLists(options, async ({ database, service, now }) => {
        if (remove === true) await unlistSigner(database, service, list, signer);
        else await listSigner(database, service, { list, signer, note: note ?? null, changedAt: new Date(now) });
      });
    });
}

/** Applies a change to the signer lists and prints the lists. */
async function printLists(options: Options, change: (tools: Tools) => Promise<void>): Promise<void> {
  const { describeSignerLists } = await import('@vouch/gateway/budgets/signerLists');
  const lists = await withGateway(options, async (tools) => {
    await change(tools);
    return describeSignerLists(tools.database, tools.service);
  });
  if (options.json) {
    process.stdout.write(`${JSON.stringify(lists)}\n`);
    return;
  }
  const rows = (['allow', 'deny'] as const).flatMap((list) => lists[list].map(({ signer, note, changed_at: since }) => [list, signer, since.slice(0, 16), note ?? '']));
  process.stdout.write(`${rows.length === 0 ? 'Both lists are empty: the gateway serves every signer.' : formatTable('', ['list', 'signer', 'since', 'note'], rows)}\n`);
}

/** @throws CommandFault that lists the valid choices */
function oneOf<Choice extends string>(what: string, choices: readonly Choice[], given: string): Choice {
  const found = choices.find((choice) => choice === given);
  if (found !== undefined) return found;
  throw new CommandFault(exitCodes.usage, `${what} is ${JSON.stringify(given)}; it must be one of ${choices.join(', ')}.`);
}

/** Reads an amount of gas. Returns null for the word `default`. */
function parseGas(text: string): number | null {
  if (text === 'default') return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new CommandFault(exitCodes.usage, `The gas is ${JSON.stringify(text)}; it must be a whole number of at most 15 digits, or default.`);
}
