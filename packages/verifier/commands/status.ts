import { plainText } from '@vouch/platform/log/plainText';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { reportFolder } from '../collateral/reportFolder.ts';
import { describeSummary, summarizeCollateral } from '../collateral/summarizeCollateral.ts';
import { loadConfiguration } from '../config/loadConfiguration.ts';
import { hasLeft } from '../state/left.ts';
import { nodeProcess } from '../state/lockFolder.ts';
import { readNodeState } from '../state/readNodeState.ts';
import { StateFault } from '../state/parseNodeState.ts';
import { viewChain } from '../status/chainView.ts';
import { describeStatus } from '../status/describeStatus.ts';
import { findState } from '../status/findState.ts';
import { summarize } from '../status/summarize.ts';
import type { Command } from './command.ts';
import { configurationFlagNames, configurationFlags } from './configurationFlags.ts';

export const status: Command = {
  name: 'status',
  summary: 'show whether the node earns rewards or why not: days, rewards, votes, missed reports; works without the chain',
  flags: [...configurationFlagNames, '-json'],
  async run(call) {
    const loaded = loadConfiguration(configurationFlags(call));
    const found = await findState(loaded, call.secrets, call.warn);
    const state = await readNodeState(found.folder).catch((error: unknown) => {
      if (!(error instanceof StateFault)) throw error;
      call.warn(error.message);
      return null;
    });
    const [chain, process, left] = await Promise.all([viewChain(loaded.configuration, found.node, call.system), nodeProcess(found.folder), hasLeft(found.folder)]);
    const now = call.system.clock.now();
    const shown = summarize({ found, chainName: loaded.configuration.chain.chainName, state, chain, process, left, now, reports: loaded.configuration.sending.through });
    const { collateralPath, trustRoot } = loaded.configuration.attestation;
    const collateral = summarizeCollateral(await reportFolder(collateralPath, new Date(now), trustRoot));
    call.output.write(call.given.has('-json') ? `${JSON.stringify({ ...shown, collateral })}\n` : `${describeStatus(shown, now)}${'Collateral'.padEnd(16)}${plainText(describeSummary(collateral, new Date(now)))}\n`);
    return shown.earning.verdict === 'no' ? exitCodes.notInOrder : exitCodes.done;
  },
};
