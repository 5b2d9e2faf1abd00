import { showAddress } from '@vouch/chain/messages/showAddress';
import { LockUnavailable } from '@vouch/platform/process/fileLock';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { ConfigurationFault } from '../config/configurationFault.ts';
import { defaultFile } from '../config/loadConfiguration.ts';
import { openLog } from '../logging/openLog.ts';
import { NodeFault } from '../node/openNode.ts';
import { startNode } from '../node/startNode.ts';
import { FolderBusy, FolderUnusable } from '../state/lockFolder.ts';
import type { Call, Command } from './command.ts';
import { configurationFlagNames } from './configurationFlags.ts';
import { makeKeystore } from './keystoreNew.ts';
import { openConfigured } from './openConfigured.ts';

/** The program without a command: runs the node, or creates a keystore with -generate-keystore. */
export const runNode: Command = {
  name: '',
  summary: 'run the node',
  flags: [...configurationFlagNames, '-exit-on-stop', '-generate-keystore'],
  run: (call) => (call.given.has('-generate-keystore') ? generate(call) : run(call)),
};

async function generate(call: Call): Promise<number> {
  const others = (['-private-key', '-reward-address', '-commission-rate', '-conf', '-exit-on-stop'] as const).filter((flag) => call.given.has(flag));
  if (others.length > 0) refuse(`the flag cannot be combined with ${others.join(' and ')}: it only creates a key and reads nothing else.`);
  if (!call.given.has('-keystore-path')) refuse('the flag requires -keystore-path <path>, the path of the new keystore.');
  return makeKeystore(call);
}

/** Runs the node until the process is stopped or the configuration proves unusable. */
async function run(call: Call): Promise<number> {
  const { configuration, privateKey, node } = await openConfigured(call);
  const log = openLog(configuration.log, call.errors);
  if (configuration.log.format === 'human') call.output.write(`The configuration is valid and the key opens: node ${showAddress(node)} on ${configuration.chain.chainName}.\n`);
  // The process was stopped during the password prompt.
  if (call.stop.aborted) return exitCodes.done;
  try {
    const running = await startNode({ configuration, privateKey, node, system: call.system, log, exitOnStop: call.given.has('-exit-on-stop') });
    const stop = (): void => void running.stop().catch(() => {});
    call.stop.addEventListener('abort', stop, { once: true });
    // The process was stopped while the node started.
    if (call.stop.aborted) stop();
    const { how } = await running.done;
    return how === 'stayed' ? exitCodes.notInOrder : exitCodes.done;
  } catch (error) {
    if (error instanceof NodeFault) throw new ConfigurationFault([{ where: call.given.has('-conf') ? String(call.given.get('-conf')) : defaultFile, sentence: error.message }]);
    if (error instanceof LockUnavailable) throw new ConfigurationFault([{ where: 'node.data_path', sentence: error.message }]);
    if (error instanceof FolderUnusable) {
      if (!error.full) throw new ConfigurationFault([{ where: 'node.data_path', sentence: error.message }]);
      call.errors.write(`verifier: ${error.message}\n`);
      return exitCodes.failed;
    }
    if (!(error instanceof FolderBusy)) throw error;
    call.errors.write(`verifier: ${error.message}\n`);
    return exitCodes.busy;
  }
}

function refuse(sentence: string): never {
  throw new ConfigurationFault([{ where: '-generate-keystore', sentence }]);
}
