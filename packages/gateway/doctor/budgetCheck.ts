import type { Clock } from '@vouch/platform/process/systemInterfaces';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/product';
import { reportBudgets } from '../budgets/budgetReport.ts';
import { readSignerLists } from '../budgets/budgetStore.ts';
import type { ReporterKind } from '../budgets/reporterBudget.ts';
import type { BudgetParts } from '../budgets/budgets.route.ts';

/** Share of a budget above which the check warns. */
const maxShare = 0.8;

/** Effect of an exhausted budget of the activity reporter, by kind. */
const keeperRemedies: Readonly<Record<ReporterKind, string>> = {
  activity: 'Without gas the days of nodes are not reported, and earn them nothing.',
  randomness: 'Without gas nobody asks again for random words that do not come: look why the source of random words does not answer.',
  conclusion: 'Without gas no event says how attestations ended; verdicts do not depend on it.',
};

/**
 * Reports today's usage of the gas budgets and the number of listed signers.
 * @param options command-line options that select the deployment, for the suggested commands
 */
export async function checkBudgets({ database, clock }: { database: Database; clock: Clock }, { service, deployment }: BudgetParts, options = ''): Promise<Finding[]> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_spending') IS NOT NULL AND to_regclass('gateway_attestations') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'no gas was spent yet' }];
  const { total, most_used: most, keeper, ends_at: end } = await reportBudgets(database, { service, deployment: deployment(), now: clock.now() }, null);
  const used = total.reduce((sum, { spent, reserved }) => sum + spent + reserved, 0);
  const budget = total.reduce((sum, each) => sum + each.gas_per_day, 0);
  const listed = await readSignerLists(database, service);
  const counted = (list: string, what: string): string => {
    const count = listed.filter((each) => each.list === list).length;
    return count === 0 ? '' : `; ${count} ${count === 1 ? 'signer is' : 'signers are'} ${what}`;
  };
  const nearlyUsed = total.filter((each) => each.spent + each.reserved > maxShare * each.gas_per_day);
  return [
    { status: 'ok', detail: `${used} of ${budget} gas of this day are used${counted('allow', 'served and no other')}${counted('deny', 'refused')}` },
    ...nearlyUsed.map((each): Finding => {
      const heaviest = most.find(({ kind }) => kind === each.kind);
      const who = heaviest === undefined ? '' : `; most of it by the ${heaviest.scope} ${heaviest.subject}: ${heaviest.spent + heaviest.reserved}`;
      return {
        status: 'warning',
        detail: `${each.spent + each.reserved} of ${each.gas_per_day} gas for ${each.kind} messages of this day are used, and the rest until ${end} is ${each.left}${who}`,
        remedy: `Look at who uses it (vouch gateway budgets${options}). Refuse them (vouch gateway deny${options}), or raise the budget (vouch gateway budget total ${each.kind} GAS${options}).`,
      };
    }),
    ...keeper.filter((each) => each.spent + each.reserved > maxShare * each.gas_per_day).map((each): Finding => ({
      status: 'warning',
      detail: `${each.spent + each.reserved} of ${each.gas_per_day} gas of the keeper for ${each.kind} are used today, and the rest until ${end} is ${each.left}`,
      remedy: `${keeperRemedies[each.kind]} Raise the budget (vouch gateway budget keeper ${each.kind} GAS${options}).`,
    })),
  ];
}
