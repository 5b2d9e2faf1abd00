import type { Connection } from '@vouch/platform/database/database';
import type { Finding } from '@vouch/platform/product/findings';
import { getAddress } from 'viem/utils';
import { countDays, findLostDay } from '../activityReporter/activityStore.ts';
import { gatewayFindings } from './gatewayFindings.ts';

const nodesNamed = 3;

/**
 * Checks whether the contract credits the days of active nodes.
 * @param keeper whether the settings enable the activity reporter
 * @param setting name of that setting
 */
export async function checkActivity(connection: Connection, deployment: string, keeper: boolean, setting = 'VOUCH_KEEPER'): Promise<Finding> {
  const { rows } = await connection.query<{ there: boolean }>(`SELECT to_regclass('gateway_activity') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return { status: 'ok', detail: 'no day has been reported yet' };
  const lost = await findLostDay(connection, deployment);
  const days = new Map((await countDays(connection, deployment)).map((each) => [each.outcome, each.days]));
  const counted = `in the last 31 days, ${days.get('credited') ?? 0} days of nodes were credited and ${days.get('lost') ?? 0} were lost`;
  if (!keeper) {
    return gatewayFindings.found(
      'keeper-disabled', `${setting} is false: this gateway does not report the days of active nodes (${counted})`,
      `Set ${setting}=true, unless another program reports the days: a node earns nothing for a day that is not reported.`,
    );
  }
  if (lost === null) return { status: 'ok', detail: counted };
  const named = lost.nodes.slice(0, nodesNamed).map((node) => getAddress(node)).join(', ');
  const more = lost.nodes.length > nodesNamed ? ` and ${lost.nodes.length - nodesNamed} more` : '';
  const inVain = lost.reported === lost.nodes.length;
  const reported = lost.reported === 0 ? '' : `; ${inVain ? 'all' : lost.reported} of them were reported in vain`;
  return gatewayFindings.found(
    'day-lost', `day ${lost.date} ended without credit although ${named}${more} ${lost.nodes.length === 1 ? 'was' : 'were'} active long enough${reported} (${counted})`,
    inVain
      ? 'The day is lost. Its reports were confirmed or abandoned without a credit: the log of that day names their batches, and GET /gateway/batches shows the reasons.'
      : 'The day is lost. Check the log of that day for the reason: the gateway did not run, its relayer key was paused or had too little ether, or no RPC endpoint answered.',
  );
}
