import type { Connection } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/product';
import { getAddress } from 'viem/utils';
import { countDays, readLostDay } from '../activityReporter/activityStore.ts';

const nodesNamed = 3;

/**
 * Checks whether the contract credits the days of active nodes.
 * @param keeper whether the settings enable the activity reporter
 * @param setting name of that setting
 */
export async function checkActivity(connection: Connection, deployment: string, keeper: boolean, setting = 'VOUCH_KEEPER'): Promise<Finding> {
  const { rows } = await connection.query<{ there: boolean }>(`SELECT to_regclass('gateway_activity') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return { status: 'ok', detail: 'no day was reported yet' };
  const lost = await readLostDay(connection, deployment);
  const days = new Map((await countDays(connection, deployment)).map((each) => [each.outcome, each.days]));
  const counted = `${days.get('credited') ?? 0} days of nodes credited in the last 31 days, ${days.get('lost') ?? 0} lost`;
  if (!keeper) {
    return { status: 'warning', detail: `${setting} is false: nobody reports the days of active nodes here (${counted})`, remedy: `Set ${setting}=true, unless another program reports them: a day that nobody reports earns its node nothing.` };
  }
  if (lost === null) return { status: 'ok', detail: counted };
  const named = lost.nodes.slice(0, nodesNamed).map((node) => getAddress(node)).join(', ');
  const more = lost.nodes.length > nodesNamed ? ` and ${lost.nodes.length - nodesNamed} more` : '';
  const inVain = lost.reported === lost.nodes.length;
  const reported = lost.reported === 0 ? '' : `; ${inVain ? 'all' : lost.reported} of them were reported in vain`;
  return {
    status: 'warning', detail: `day ${lost.date} passed uncredited although ${named}${more} ${lost.nodes.length === 1 ? 'was' : 'were'} active long enough${reported} (${counted})`,
    remedy: inVain
      ? 'The day is lost. Its reports were confirmed or abandoned without a credit: the log of that day names their batches, and GET /gateway/batches shows the reasons.'
      : 'The day is lost. Find out why nobody reported it: the gateway did not run, its key was paused or could not pay, or no endpoint answered (its log of that day says which).',
  };
}
