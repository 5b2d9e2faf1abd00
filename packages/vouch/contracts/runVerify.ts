import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { compareDeployment, subscriptionSubject, type Comparison } from '@vouch/chain/contracts/deployment/compareDeployment';
import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readRecord, type DeploymentRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { fetchDeployed, type DeployedState } from '@vouch/chain/contracts/deployment/fetchDeployed';
import { standardInputs } from '@vouch/chain/contracts/deployment/standardInput';
import type { WantedDeployment } from '@vouch/chain/contracts/deployment/wantedDeployment';
import { getChainId } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { formatTable } from '../terminal/table.ts';
import { withChain } from './openChain.ts';
import { checkDeploymentFile, readDeploymentFile } from './readDeploymentFile.ts';

export interface VerifyOptions {
  /** Path of the operator's current deployment file. Default: the copy in the record. */
  file?: string;
  /** Folder for the standard JSON input files that block explorers accept. */
  standardJson?: string;
  json?: boolean;
}

/**
 * Compares a deployment with its record and with this version of Vouch.
 * @returns `notInOrder` if there is any difference
 * @throws CommandFault, DeploymentFault, ConfigurationError; RpcRefused, RpcUnavailable
 */
export async function runVerify(recordPath: string, options: VerifyOptions): Promise<ExitCode> {
  const { record, wanted } = await loadWanted(recordPath, options.file);
  if (options.standardJson !== undefined) await writeStandardJson(options.standardJson);
  const comparisons = await withChain(async ({ rpc }) => compareDeployment(await fetchState(rpc, record, recordPath), record, wanted));
  process.stdout.write(options.json === true ? `${JSON.stringify({ record: recordPath, comparisons })}\n` : `${describe(comparisons)}\n`);
  return comparisons.some(({ status }) => status === 'differs') ? exitCodes.notInOrder : exitCodes.done;
}

/**
 * Reads a deployment record and the wanted state of its deployment.
 * @throws DeploymentFault, CommandFault
 */
export async function loadWanted(recordPath: string, file: string | undefined): Promise<{ record: DeploymentRecord; wanted: WantedDeployment }> {
  const record = await readRecord(recordPath);
  if (record === null) throw new DeploymentFault('input', `No deployment record exists at ${recordPath}. vouch contracts deploy writes the record, by default next to the deployment file.`);
  const { wanted } = file === undefined ? checkDeploymentFile(record.wanted, `${recordPath}, "wanted",`) : await readDeploymentFile(file);
  return { record, wanted };
}

/**
 * Reads the state of a deployment from the chain.
 * @throws DeploymentFault if the endpoints serve a different chain
 */
export async function fetchState(rpc: RpcClient, record: DeploymentRecord, path: string): Promise<DeployedState> {
  const chainId = await getChainId(rpc);
  if (chainId !== record.chainId) {
    throw new DeploymentFault('input', `The deployment of ${path} is on chain ${record.chainId}; the endpoints of VOUCH_CHAIN_RPC_URL serve chain ${chainId}.`);
  }
  return fetchDeployed(rpc, record, path);
}

async function writeStandardJson(folder: string): Promise<void> {
  await makeFolder(resolve(folder));
  for (const { unit, contracts, text } of standardInputs()) {
    const path = join(folder, `${unit}.json`);
    await writeFile(path, text);
    process.stderr.write(`${path}: ${contracts.join(', ')}\n`);
  }
}

function describe(comparisons: readonly Comparison[]): string {
  const differing = comparisons.filter(({ status }) => status !== 'same');
  const rows = comparisons.map(({ status, subject, expected }) => [status, subject, expected]);
  const end = describeCount(comparisons.filter(({ status }) => status === 'differs').map(({ subject }) => subject));
  // Lines instead of a table, because a table would shorten long values.
  const found = differing.map(({ status, subject, expected, found: there }) => `${status}  ${subject}${status === 'note' ? '' : `\n  expected  ${expected}`}\n  found     ${there}`);
  return [formatTable('', ['', 'what', 'expected'], rows), ...found, end].join('\n\n');
}

/** @param subjects of the differences */
function describeCount(subjects: readonly string[]): string {
  if (subjects.length === 0) return 'No differences.';
  const count = subjects.length === 1 ? 'One difference' : `${subjects.length} differences`;
  const planned = subjects.filter((subject) => subject !== subscriptionSubject).length;
  if (planned === 0) return `${count}, which no call of the owner of the deployment removes.`;
  const which = planned < subjects.length ? ` ${planned} of them` : subjects.length === 1 ? ' it' : ' them';
  return `${count}. vouch contracts upgrade-plan prints how to remove${which}.`;
}
