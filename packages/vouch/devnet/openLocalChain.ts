import { join, resolve } from 'node:path';
import { devnetFileName, nodeFileName, startDevnet } from '@vouch/chain/devnet/startDevnet';
import { readDevnetFile, type DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import { getChainId } from '@vouch/chain/rpc/chainReads';
import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { explainFailure } from '@vouch/platform/database/dataFolder';
import { makeDataFolder } from '@vouch/platform/database/makeDataFolder';
import { logDestination } from '@vouch/platform/log/logDestination';
import { createLogger } from '@vouch/platform/log/logger';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { isLocked, takeLock } from '@vouch/platform/process/fileLock';
import { CommandFault } from '../terminal/commandFault.ts';
import type { Configuration } from '../wiring/configuration.ts';

/** The local chain of a data folder. */
export interface LocalChain {
  facts: DevnetFacts;
  /**
   * `new`: the first start; `kept`: started with its earlier blocks; `again`: the earlier chain was lost, so a new chain was
   * started with the same keys; `running`: another process runs the chain and ends the chain with itself.
   */
  made: 'new' | 'kept' | 'again' | 'running';
  /** Path of the file with the facts about the chain, and path of the configuration of a node. */
  devnetFile: string;
  nodeFile: string;
  /**
   * Resolves after `stop`. Rejects if the chain ends unexpectedly and is not restarted. Never settles if another process runs the
   * chain.
   */
  ended: Promise<void>;
  nameGateway(url: string): Promise<void>;
  stop(): Promise<void>;
}

export const operatorsUnlessTold = 5;

/** Folder of the local chain's certificate authority for test attestations. */
export function authorityFolder(dataFolder: string): string {
  return join(dataFolder, 'devnet', 'authority');
}

/**
 * Starts the local chain of the data folder, or connects to the chain that another process runs there.
 * @throws AnvilMissing; DevnetFileFault; DatabaseFault if the folder cannot be locked; Error if the chain does not start
 */
export async function openLocalChain(
  configuration: Pick<Configuration, 'data' | 'host' | 'port' | 'log_level' | 'log_format' | 'public_url'>, operators = operatorsUnlessTold,
): Promise<LocalChain> {
  const folder = resolve(configuration.data);
  await makeDataFolder(folder);
  await makeFolder(join(folder, 'devnet'), 0o700);
  const lock = await takeLock(lockOf(folder)).catch((error: Error) => {
    throw explainFailure(folder, error);
  });
  if (lock === null) return findRunning(folder);
  try {
    const log = createLogger(configuration.log_level, logDestination(configuration.log_format));
    // Imported here because only servers with a local chain need these modules.
    const { keepTestPki } = await import('@vouch/verifier/attestation/testPki/keepTestPki');
    // Every start renews the collateral, which is valid for four weeks.
    const { collateralFolder, trustRoot } = await keepTestPki(authorityFolder(folder), new Date(systemInterfaces.clock.now()));
    const devnet = await startDevnet({
      folder, operators, gatewayUrl: gatewayUrl(configuration), attestation: { collateralFolder, trustRoot: trustRoot.fingerprint }, log, system: systemInterfaces,
    });
    const stop = async (): Promise<void> => {
      await devnet.stop();
      await lock.release();
    };
    return { ...devnet, stop };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Connects to the chain that another process runs in the folder. */
async function findRunning(folder: string): Promise<LocalChain> {
  const [devnetFile, nodeFile] = [join(folder, devnetFileName), join(folder, nodeFileName)];
  const facts = await readDevnetFile(devnetFile);
  if (facts === null || !(await answers(facts))) {
    throw new CommandFault(exitCodes.busy, `Another process is starting or stopping the local chain of ${folder}: try again, or stop that process.`);
  }
  return { facts, made: 'running', devnetFile, nodeFile, ended: new Promise(() => {}), nameGateway: async () => {}, stop: async () => {} };
}

/**
 * Facts about the local chain of the data folder while a process runs the chain, even if the chain does not answer; otherwise
 * null.
 */
export async function findLocalChain({ data }: Pick<Configuration, 'data'>): Promise<DevnetFacts | null> {
  const folder = resolve(data);
  const facts = await readDevnetFile(join(folder, devnetFileName)).catch(() => null);
  if (facts === null) return null;
  // The lock decides, not the file: in a copied data folder, the file names the chain of the original folder.
  const runs = await isLocked(lockOf(folder)).catch(() => answers(facts));
  return runs ? facts : null;
}

function lockOf(folder: string): string {
  return join(folder, 'devnet', 'devnet.lock');
}

async function answers({ rpcUrl, chainId }: DevnetFacts): Promise<boolean> {
  const rpc = createRpcClient({ urls: [rpcUrl], timeoutMs: 3_000 }, systemInterfaces);
  try {
    return (await getChainId(rpc)) === chainId;
  } catch {
    return false;
  } finally {
    await rpc.close();
  }
}

function gatewayUrl({ host, port, public_url: publicUrl }: Pick<Configuration, 'host' | 'port' | 'public_url'>): string {
  return publicUrl ?? `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`;
}
