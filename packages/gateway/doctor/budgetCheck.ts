import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/findings';
import { reportBudgets } from '../budgets/budgetReport.ts';
import { loadSignerLists } from '../budgets/budgetStore.ts';
import type { ReporterKind } from '../budgets/reporterBudget.ts';
import type { BudgetParts } from '../budgets/budgets.route.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** Share of a budget above which the check warns. */
const maxShare = 0.8;

/** Effect of an exhausted budget of the activity reporter, by kind. */
const keeperRemedies: Readonly<Record<ReporterKind, string>> = {
  activity: 'Without this budget, the gateway does not report the days of nodes, and the nodes earn nothing.',
  randomness: 'Without this budget, the gateway does not request missing random words again. Check why the randomness source does not answer.',
  conclusion: 'Without this budget, no event records how attestations ended. Verdicts do not depend on the event.',
};

/**
 * Reports today's usage of the gas budgets and the number of listed signers.
 * @param options command-line options that select the deployment, for the suggested commands
 */
export async function checkBudgets({ database, clock }: { database: Database; clock: Clock }, { service, deployment }: BudgetParts, options = ''): Promise<Finding[]> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_spending') IS NOT NULL AND to_regclass('gateway_attestations') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'no gas spent yet' }];
  const { total, most_used: most, keeper, ends_at: end } = await reportBudgets(database, { service, deployment: deployment(), now: clock.now() }, null);
  const used = total.reduce((sum, { spent, reserved }) => sum + spent + reserved, 0);
  const budget = total.reduce((sum, each) => sum + each.gas_per_day, 0);
  const listed = await loadSignerLists(database, service);
  const counted = (list: string, what: string): string => {
    const count = listed.filter((each) => each.list === list).length;
    return count === 0 ? '' : `; ${count} ${count === 1 ? 'signer is' : 'signers are'} ${what}`;
  };
  const nearlyUsed = total.filter((each) => each.spent + each.reserved > maxShare * each.gas_per_day);
  return [
    { status: 'ok', detail: `${used} of ${budget} gas is used today${counted('allow', 'on the allow list')}${counted('deny', 'on the deny list')}` },
    ...nearlyUsed.map((each): Finding => {
      const heaviest = most.find(({ kind }) => kind === each.kind);
      const who = heaviest === undefined ? '' : `; the ${heaviest.scope} ${heaviest.subject} used the most: ${heaviest.spent + heaviest.reserved}`;
      return gatewayFindings.found(
        'budget-nearly-used',
        `${each.spent + each.reserved} of today's ${each.gas_per_day} gas for ${each.kind} messages is used; ${each.left} gas is left until ${end}${who}`,
        `Find the signers that use the budget (vouch gateway budgets${options}). Deny these signers (vouch gateway deny${options}), or raise the budget (vouch gateway budget total ${each.kind} GAS${options}).`,
      );
    }),
    ...keeper.filter((each) => each.spent + each.reserved > maxShare * each.gas_per_day).map((each): Finding => gatewayFindings.found(
      'maintenance-budget-nearly-used',
      `${each.spent + each.reserved} of today's ${each.gas_per_day} gas for maintenance transactions of kind ${each.kind} is used; ${each.left} gas is left until ${end}`,
      `${keeperRemedies[each.kind]} Raise the budget (vouch gateway budget keeper ${each.kind} GAS${options}).`,
    )),
  ];
}
