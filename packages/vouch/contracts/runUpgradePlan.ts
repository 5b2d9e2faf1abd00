import { planUpgrade } from '@vouch/chain/contracts/deployment/planUpgrade';
import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import { describeUpgrade } from './describeUpgrade.ts';
import { withChain } from './openChain.ts';
import { fetchState, loadWanted } from './runVerify.ts';

export interface UpgradePlanOptions {
  file?: string;
  json?: boolean;
}

/**
 * Compares a deployment with the wanted state and prints the calls that remove the differences. Sends nothing.
 * @throws CommandFault, DeploymentFault, ConfigurationError; RpcRefused, RpcUnavailable
 */
export async function runUpgradePlan(recordPath: string, options: UpgradePlanOptions): Promise<ExitCode> {
  const { record, wanted } = await loadWanted(recordPath, options.file);
  const plan = await withChain(async ({ rpc }) => planUpgrade(rpc, await fetchState(rpc, record, recordPath), record, wanted));
  process.stdout.write(options.json === true ? `${JSON.stringify(plan)}\n` : `${describeUpgrade(plan, record)}\n`);
  return exitCodes.done;
}
