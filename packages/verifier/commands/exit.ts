import { showAddress } from '@vouch/chain/messages/showAddress';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { ConfigurationFault } from '../config/configurationFault.ts';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { openLog } from '../logging/openLog.ts';
import { ChainTime } from '../context/chainTime.ts';
import { leaveActiveSet } from '../node/leaveActiveSet.ts';
import { NodeFault, fetchChainStart } from '../node/openNode.ts';
import { createSender } from '../reporting/createSender.ts';
import { nodeFolder } from '../state/nodeFolder.ts';
import { describeDue } from '../state/describeDue.ts';
import { noteLeft } from '../state/left.ts';
import { nodeProcess } from '../state/lockFolder.ts';
import { readNodeState } from '../state/readNodeState.ts';
import type { Call, Command } from './command.ts';
import { configurationFlagNames } from './configurationFlags.ts';
import { openConfigured } from './openConfigured.ts';

export const exit: Command = {
  name: 'exit',
  summary: 'leave the active set; a running node enters again only after a restart',
  flags: configurationFlagNames,
  run: leave,
};

async function leave(call: Call): Promise<number> {
  const { configuration, privateKey, node } = await openConfigured(call);
  const log = openLog(configuration.log, call.errors);
  const rpc = createRpcClient({ urls: configuration.chain.rpcUrls, chainId: BigInt(configuration.chain.chainId) }, call.system);
  const { folder } = nodeFolder(configuration, node);
  try {
    const time = new ChainTime(call.system);
    time.see((await fetchStart(rpc, configuration, call.stop)).head);
    // Written before the exit, so that a running node does not reenter.
    await noteLeft(folder);
    await warnOfDue(call, folder, time.now());
    const sender = createSender({ configuration, node, privateKey, rpc, system: call.system, log, store: null });
    const how = await leaveActiveSet({ rpc, configuration, node, sender, time, system: call.system, log }, call.stop);
    if (how === 'stopped') return exitCodes.interrupted;
    if (how === 'stayed') return exitCodes.notInOrder;
    call.output.write(`Node ${showAddress(node)} is not in the active set.\n`);
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error;
    call.errors.write(`verifier: ${error.message} Nothing was signed or sent.\n`);
    return exitCodes.failed;
  } finally {
    await rpc.close();
  }
}

/** Warns of reports that are due, by the state that the node has saved; an unreadable state is no reason to stay. */
async function warnOfDue({ warn }: Call, folder: string, chainTime: number | null): Promise<void> {
  const [state, process] = await Promise.all([readNodeState(folder).catch(() => null), nodeProcess(folder)]);
  const due = describeDue(state?.attestations ?? [], chainTime);
  if (due === null) return;
  warn(process === null ? `${due}: no program runs, and a report that is not sent counts as missed, unless verifier starts again in time.` : `${due}: let the program run until then.`);
}

async function fetchStart(rpc: Parameters<typeof fetchChainStart>[0], configuration: NodeConfiguration, signal: AbortSignal): ReturnType<typeof fetchChainStart> {
  try {
    return await fetchChainStart(rpc, configuration, signal);
  } catch (error) {
    throw error instanceof NodeFault ? new ConfigurationFault([{ where: 'configuration', sentence: error.message }]) : error;
  }
}
