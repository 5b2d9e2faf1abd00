import type { Clock } from '@vouch/platform/process/doors';
import type { Database } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/product';
import { reportBudgets } from '../budgets/budgetReport.ts';
import { readSignerLists } from '../budgets/budgetStore.ts';
import type { BudgetParts } from '../budgets/budgets.route.ts';

/** Above this share of its budget a kind of message is named. */
const shareMax = 0.8;

/** How much of today's budgets of gas is used, and who is not served. */
export async function checkBudgets({ database, clock }: { database: Database; clock: Clock }, { service, deployment }: BudgetParts): Promise<Finding[]> {
  const { rows: found } = await database.query<{ there: boolean }>(
    `SELECT to_regclass('gateway_spending') IS NOT NULL AND to_regclass('gateway_listed_signers') IS NOT NULL AS there`);
  if (found[0]?.there !== true) return [{ status: 'ok', detail: 'no gas was spent yet' }];
  const { total, most_used: most, ends_at: end } = await reportBudgets(database, { service, deployment: deployment(), now: clock.now() }, null);
  const used = total.reduce((sum, { spent, reserved }) => sum + spent + reserved, 0);
  const budget = total.reduce((sum, each) => sum + each.gas_per_day, 0);
  const listed = await readSignerLists(database, service);
  const counted = (list: string, what: string): string => {
    const count = listed.filter((each) => each.list === list).length;
    return count === 0 ? '' : `; ${count} ${count === 1 ? 'signer is' : 'signers are'} ${what}`;
  };
  const nearlyUsed = total.filter((each) => each.spent + each.reserved > shareMax * each.gas_per_day);
  return [
    { status: 'ok', detail: `${used} of ${budget} gas of this day are used${counted('allow', 'served and no other')}${counted('deny', 'refused')}` },
    ...nearlyUsed.map((each): Finding => {
      const heaviest = most.find(({ kind }) => kind === each.kind);
      const who = heaviest === undefined ? '' : `; most of it by the ${heaviest.scope} ${heaviest.subject}: ${heaviest.spent + heaviest.reserved}`;
      return {
        status: 'warning',
        detail: `${each.spent + each.reserved} of ${each.gas_per_day} gas for ${each.kind} messages of this day are used, and the rest until ${end} is ${each.left}${who}`,
        remedy: `Look at who uses it (vouch gateway budgets). Refuse them (vouch gateway deny), or raise the budget (vouch gateway budget total ${each.kind} GAS).`,
      };
    }),
  ];
}
