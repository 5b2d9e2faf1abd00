import { checkDeployment } from '@vouch/chain/contracts/deployment/checkDeployment';
import { readRecord, writeRecord, type DeploymentRecord } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { planDeployment, type DeploymentPlan } from '@vouch/chain/contracts/deployment/planDeployment';
import { findLeft, sendSteps, sentNothing } from '@vouch/chain/contracts/deployment/sendSteps';
import { refuseOtherPlan, startRecord } from '@vouch/chain/contracts/deployment/startRecord';
import { getNonce } from '@vouch/chain/rpc/chainReads';
import { systemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { exitCodes, type ExitCode } from '@vouch/platform/process/exitCodes';
import { takeLock } from '@vouch/platform/process/fileLock';
import { CommandFault } from '../terminal/commandFault.ts';
import { runStoppable } from '../terminal/stopWithSignals.ts';
import { describeComplete, describePlan } from './describePlan.ts';
import { withChain, type ConfiguredChain } from './openChain.ts';
import { openDeployer, type Deployer } from './openDeployer.ts';
import type { PreparedDeployment } from './preparedDeployment.ts';
import { readDeploymentFile, type ReadDeploymentFile } from './readDeploymentFile.ts';

export interface DeployOptions {
  key?: string;
  passwordFile?: string;
  record?: string;
  ownerIsAccount?: boolean;
  send?: boolean;
  json?: boolean;
}

/** Default path of the record of a deployment file. */
function recordPathOf(file: string): string {
  return `${file.replace(/\.toml$/, '')}.record.json`;
}

/**
 * Plans a deployment; with `send`, starts or continues the deployment.
 * @returns the exit code
 * @throws CommandFault, DeploymentFault, SignerFault, KeyFault, ConfigurationError; RpcRefused, RpcUnavailable
 */
export async function runDeploy(file: string, options: DeployOptions): Promise<ExitCode> {
  return runStoppable(async (signal) => {
    const read = await readDeploymentFile(file);
    const path = options.record ?? recordPathOf(file);
    const before = await readRecord(path);
    if (before?.state === 'complete') return printComplete(before, path, options);
    const deployer = await openDeployer(options.key, options.passwordFile, signal);
    return withChain(async (chain) => {
      if (options.send !== true) return printPlan(await prepare(chain, read, deployer, path, options), options);
      return await withLock(path, async () => sendDeployment(chain, read, deployer, path, options, signal));
    });
  }, () => 'Stopped. Run the command again to continue the deployment: nothing is deployed twice.');
}

/** The lock prevents two processes from continuing one deployment: both would sign the same transactions. */
async function withLock<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const lock = await takeLock(`${path}.lock`).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `The record ${path} cannot be written: ${error.message}`, { cause: error });
  });
  if (lock === null) throw new CommandFault(exitCodes.busy, `Another process deploys with the record ${path}. Wait until the process has ended.`);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function prepare(chain: ConfiguredChain, { file, wanted }: ReadDeploymentFile, deployer: Deployer, path: string, options: DeployOptions): Promise<PreparedDeployment> {
  const kept = await readRecord(path);
  // Before the first transaction is sent, the command plans again, because the nonce of the account may have changed.
  const begun = kept !== null && !sentNothing(kept) ? kept : null;
  if (begun !== null && begun.deployer !== deployer.address) {
    throw new CommandFault(exitCodes.input, `The deployment of ${path} was started by the account ${begun.deployer}, but --key belongs to ${deployer.address}. Use the same key, or another file with --record.`);
  }
  const firstNonce = begun?.firstNonce ?? (await getNonce(chain.rpc, deployer.address, 'latest'));
  const plan = planDeployment(wanted, deployer.address, firstNonce);
  if (begun !== null) refuseOtherPlan(begun, plan, path);
  const record = begun ?? startRecord(plan, wanted, file);
  const left = new Set(await findLeft(chain.rpc, record));
  const { findings, cost } = await checkDeployment(chain.rpc, wanted, plan, plan.steps.filter((_, at) => left.has(at)), { ownerIsAccount: options.ownerIsAccount === true, feeCapWei: chain.feeCapWei });
  return { path, plan, record, findings, cost };
}

function printPlan(prepared: PreparedDeployment, { json }: DeployOptions): ExitCode {
  process.stdout.write(json === true ? `${JSON.stringify(planRecord(prepared))}\n` : `${describePlan(prepared)}\n`);
  return hasFaults(prepared) ? exitCodes.notInOrder : exitCodes.done;
}

async function sendDeployment(
  chain: ConfiguredChain, read: ReadDeploymentFile, deployer: Deployer, path: string, options: DeployOptions, signal: AbortSignal,
): Promise<ExitCode> {
  const prepared = await prepare(chain, read, deployer, path, options);
  if (prepared.record.state === 'complete') return printComplete(prepared.record, path, options);
  if (hasFaults(prepared)) {
    printPlan(prepared, options);
    process.stderr.write('vouch: No transaction was sent: see the failed checks.\n');
    return exitCodes.notInOrder;
  }
  const signer = await deployer.open();
  const tell = (sentence: string): void => void process.stderr.write(`${sentence}\n`);
  tell(`${prepared.record.steps.length} transactions of ${deployer.address}; the record is ${path}`);
  const save = (record: DeploymentRecord): Promise<void> => writeRecord(path, record);
  await save(prepared.record);
  const record = await sendSteps(chain.rpc, prepared.record, {
    signer, timers: systemInterfaces.timers, feeCapWei: chain.feeCapWei, confirmations: chain.confirmations, save, tell, signal,
  });
  return printComplete(record, path, options, prepared.plan);
}

function printComplete(record: DeploymentRecord, path: string, { json }: DeployOptions, plan: DeploymentPlan | null = null): ExitCode {
  const { contracts, owner } = record;
  const summary = { state: record.state, record: path, contracts, owner, owner_calls: plan?.ownerCalls ?? [] };
  process.stdout.write(json === true ? `${JSON.stringify(summary)}\n` : `${describeComplete(record, path, plan)}\n`);
  return exitCodes.done;
}

function hasFaults({ findings }: PreparedDeployment): boolean {
  return findings.some(({ status }) => status === 'fault');
}

function planRecord({ path, plan, record, findings, cost }: PreparedDeployment): object {
  return {
    state: 'planned', record: path, deployer: plan.deployer, owner: plan.owner, contracts: plan.contracts,
    checks: findings,
    steps: record.steps.map(({ name, mined }) => ({ name, mined: mined?.hash ?? null })),
    cost: cost === null || cost.gas === null ? null : {
      kind: cost.gas.kind, gas: cost.gas.gas.map(Number), max_fee_wei: String(cost.fees.maxFeeWei), wei: String(cost.wei),
    },
    owner_calls: plan.ownerCalls,
  };
}
