import { initialFees, type FeeMarket } from '../../fees/fees.ts';
import { fetchFeeMarket } from '../../fees/fetchFeeMarket.ts';
import type { Hex } from '../../messages/operation.ts';
import { getBalance, getChainId, getCode, getNonce } from '../../rpc/chainReads.ts';
import type { RpcClient } from '../../rpc/rpcClient.ts';
import { RpcRefused } from '../../rpc/rpcErrors.ts';
import { artifacts, type Artifact } from './contractList.ts';
import { contractNames } from './contractNames.ts';
import { estimateGas, type GasEstimate } from './estimateGas.ts';
import { explainRevert } from './explainRefusal.ts';
import { showEther, showGwei } from './showAmount.ts';
import type { DeploymentPlan, Step } from './planDeployment.ts';
import type { WantedDeployment } from './wantedDeployment.ts';
import { zeroAddress } from '../../messages/zeroAddress.ts';

/** Result of one check. A `fault` prevents the deployment. */
export interface Finding {
  name: string;
  status: 'ok' | 'warning' | 'fault';
  detail: string;
}

interface CheckOptions {
  /** Allows accounts instead of contracts as owner, proposers and executors. */
  ownerIsAccount: boolean;
  feeCapWei: bigint;
  signal?: AbortSignal;
}

/** Cost of the part of a deployment that is not yet sent. */
export interface Cost {
  /** `computed` if the endpoint cannot simulate; null if a transaction would revert. */
  gas: Exclude<GasEstimate, { kind: 'reverts' }> | null;
  /** Wei per gas: the minimum for inclusion in the next block, and the maximum that a transaction would offer. */
  fees: { neededWei: bigint; maxFeeWei: bigint };
  /** Upper limit: gas times the maximum fee. */
  wei: bigint;
}

/** Maximum size of a contract's code (EIP-170) and of its creation code (EIP-3860), in bytes. */
const codeBytesMax = 24_576;
const initCodeBytesMax = 49_152;

/**
 * Checks the chain before a deployment sends transactions.
 * @param left the steps that are not yet in a block
 * @throws RpcRefused, RpcUnavailable
 */
export async function checkDeployment(
  rpc: RpcClient, wanted: WantedDeployment, plan: DeploymentPlan, left: readonly Step[], options: CheckOptions,
): Promise<{ findings: readonly Finding[]; cost: Cost | null }> {
  const chainId = await getChainId(rpc, options.signal);
  if (chainId !== wanted.chainId) {
    const detail = `the RPC endpoints serve chain ${chainId}, but chain_id in the file is ${wanted.chainId}: correct VOUCH_CHAIN_RPC_URL or chain_id`;
    return { findings: [{ name: 'chain', status: 'fault', detail }], cost: null };
  }
  const estimate = await estimateGas(rpc, plan.deployer, left, options.signal);
  const cost = costOf(estimate, await fetchFeeMarket(rpc, options.feeCapWei, options.signal));
  const findings: Finding[] = [
    { name: 'chain', status: 'ok', detail: String(chainId) },
    await checkInstructions(rpc, options.signal),
    await checkNonce(rpc, plan, options.signal),
    ...await checkOwners(rpc, wanted, plan, options),
    ...await checkGiven(rpc, wanted, options.signal),
    ...checkRandomness(wanted),
    ...checkPeriods(wanted),
    checkCode(plan),
    checkSimulation(estimate),
    checkFees(cost, options.feeCapWei),
    await checkBalance(rpc, plan.deployer, cost, options.signal),
  ];
  return { findings, cost };
}

function costOf(estimate: GasEstimate, market: FeeMarket): Cost {
  // A legacy transaction must pay the full gas price; with a base fee, a lower priority fee suffices.
  const neededWei = market.legacy ? market.suggestedTipWei : market.baseFeeWei;
  const fees = { neededWei, maxFeeWei: initialFees(market)?.maxFeeWei ?? neededWei };
  if (estimate.kind === 'reverts') return { gas: null, fees, wei: 0n };
  const gas = estimate.gas.reduce((sum, each) => sum + each, 0n);
  return { gas: estimate, fees, wei: gas * fees.maxFeeWei };
}

/** Test code for Cancun instructions (PUSH0 three times, MCOPY, PUSH0 twice, RETURN): copies 0 bytes and returns nothing. */
const youngInstructions: Hex = '0x5f5f5f5e5f5ff3';

/** Error texts of chains and endpoints for an unsupported instruction; other refusals have other causes. */
const lacksInstruction = /opcode|instruction|not ?activated|push0|mcopy/i;

async function checkInstructions(rpc: RpcClient, signal?: AbortSignal): Promise<Finding> {
  const said = await rpc.request('eth_call', [{ data: youngInstructions }, 'latest'], signal).then(() => null, (error: unknown) => {
    if (error instanceof RpcRefused) return error.said;
    throw error;
  });
  return said !== null && lacksInstruction.test(said)
    ? { name: 'instructions', status: 'fault', detail: `the chain's EVM is older than Cancun, which the contracts require (${said}): choose another chain` }
    : { name: 'instructions', status: 'ok', detail: 'PUSH0 and MCOPY are supported' };
}

async function checkNonce(rpc: RpcClient, { deployer }: DeploymentPlan, signal?: AbortSignal): Promise<Finding> {
  const [latest, pending] = [await getNonce(rpc, deployer, 'latest', signal), await getNonce(rpc, deployer, 'pending', signal)];
  if (pending === latest) return { name: 'deployer', status: 'ok', detail: `${deployer}, next nonce ${latest}` };
  // These transactions may belong to an unfinished deployment: sendSteps checks each recorded transaction first.
  return { name: 'deployer', status: 'warning', detail: `${deployer} has ${pending - latest} pending transactions; transactions of other programs must be mined or cancelled first` };
}

async function checkOwners(rpc: RpcClient, { owner, timelock }: WantedDeployment, plan: DeploymentPlan, { ownerIsAccount, signal }: CheckOptions): Promise<Finding[]> {
  const people: [name: string, address: Hex][] = [
    ['owner', owner], ...(timelock?.proposers ?? []).map((address) => ['proposer', address] as [string, Hex]),
    ...(timelock?.executors ?? []).map((address) => ['executor', address] as [string, Hex]),
  ];
  const findings: Finding[] = [];
  for (const [name, address] of people) {
    if (address === zeroAddress) findings.push(name === 'executor' ? { name, status: 'ok', detail: 'everybody' } : { name, status: 'fault', detail: 'the zero address cannot have this role' });
    else if (timelock !== null && address === plan.deployer) findings.push({ name, status: 'fault', detail: `${address} is the deployer, which loses its roles in the timelock at the end: name another Ethereum address` });
    else if ((await getCode(rpc, address, signal)) !== '0x') findings.push({ name, status: 'ok', detail: `${address}, a contract` });
    else if (ownerIsAccount) findings.push({ name, status: 'warning', detail: `${address} is not a contract: the holder of one key decides alone` });
    else findings.push({ name, status: 'fault', detail: `${address} is not a contract on this chain: name a multisig, or use --owner-is-account` });
  }
  return findings;
}

/** Checks the external contracts that the file names. */
async function checkGiven(rpc: RpcClient, { rewardToken, randomness }: WantedDeployment, signal?: AbortSignal): Promise<Finding[]> {
  const given: [name: string, address: Hex][] = [
    ...(rewardToken.kind === 'existing' ? [['reward token', rewardToken.address] as [string, Hex]] : []), ['coordinator', randomness.coordinator],
  ];
  return Promise.all(given.map(async ([name, address]): Promise<Finding> => (await getCode(rpc, address, signal)) === '0x'
    ? { name, status: 'fault', detail: `there is no contract at ${address} on this chain` }
    : { name, status: 'ok', detail: address }));
}

/**
 * Gas for the callback that chooses nodes, measured by test/Coordinator.t.sol with 200 of 400 nodes: a fixed part plus a part per node (a read of
 * its position, and the write of a ninth of a storage slot). 20 % is added for the coordinator's own use of the limit.
 */
const answerGas = (nodes: number): number => Math.ceil((200_000 + 6_500 * nodes) * 1.2);

function checkRandomness({ randomness: { callbackGasLimit }, rules: { maxChosenNodes } }: WantedDeployment): Finding[] {
  const needed = answerGas(maxChosenNodes);
  if (callbackGasLimit >= needed) return [{ name: 'callback gas', status: 'ok', detail: `${callbackGasLimit}; choosing ${maxChosenNodes} nodes needs up to ${needed}` }];
  return [{
    name: 'callback gas', status: 'fault',
    detail: `${callbackGasLimit} is too low: choosing ${maxChosenNodes} nodes needs up to ${needed}; raise randomness.callback_gas_limit (coordinators allow about 2,500,000) or lower settings.max_chosen_nodes`,
  }];
}

const hour = 3_600;

/** Warns of values that the contracts accept but that are unsafe on a chain with value. */
function checkPeriods({ changeDelay, timelock, rules, verdictRules }: WantedDeployment): Finding[] {
  const odd: [wrong: boolean, detail: string][] = [
    [changeDelay < hour, `settings.change_delay is ${changeDelay} s: operators have no time to see a change before it takes effect`],
    [timelock === null, '[timelock] is missing: changes of the owner take effect immediately'],
    [timelock !== null && timelock.delaySeconds < hour, `timelock.delay is ${timelock?.delaySeconds} s: users have no time to see an operation before it takes effect`],
    [rules.reportWindow < 300, `settings.report_window is ${rules.reportWindow} s: a node that restarts misses its report`],
    [rules.dayLength < hour, `settings.day_length is ${rules.dayLength} s and cannot be changed later`],
    [verdictRules.slashDelay < hour, `settings.slash_delay is ${verdictRules.slashDelay} s: operators have no time to dispute a slash`],
    [verdictRules.quorum < 5_000, `settings.quorum is ${verdictRules.quorum}: fewer than half of the chosen nodes decide`],
  ];
  const found = odd.filter(([wrong]) => wrong).map(([, detail]): Finding => ({ name: 'settings', status: 'warning', detail }));
  return found.length > 0 ? found : [{ name: 'settings', status: 'ok', detail: 'periods for a production chain' }];
}

function checkCode({ contracts, steps }: DeploymentPlan): Finding {
  const large = contractNames.filter((name) => contracts[name] !== null).flatMap((name) => {
    const { runtime: { length } }: Artifact = artifacts[name];
    const initBytes = ((steps.find(({ creates }) => creates === name)?.data.length ?? 2) - 2) / 2;
    return length > codeBytesMax || initBytes > initCodeBytesMax ? [`${name} (${length} bytes, creation code ${initBytes} bytes)`] : [];
  });
  if (large.length > 0) return { name: 'code size', status: 'fault', detail: `${large.join(', ')}: more than chains allow (${codeBytesMax}, ${initCodeBytesMax})` };
  const { runtime: { length } }: Artifact = artifacts.service;
  return { name: 'code size', status: 'ok', detail: `the service has ${length} bytes of ${codeBytesMax}` };
}

function checkSimulation(estimate: GasEstimate): Finding {
  if (estimate.kind === 'reverts') return { name: 'simulation', status: 'fault', detail: `${estimate.step.name}: ${explainRevert(estimate.data)}` };
  if (estimate.kind === 'computed') return { name: 'simulation', status: 'warning', detail: 'the endpoint does not support eth_simulateV1: gas is estimated from sizes, and errors appear only while sending' };
  return { name: 'simulation', status: 'ok', detail: `all ${estimate.gas.length} transactions succeed in sequence` };
}

function checkFees({ fees }: Cost, capWei: bigint): Finding {
  const detail = `${showGwei(fees.neededWei)} gwei per gas now, at most ${showGwei(capWei)}`;
  return fees.neededWei > capWei
    ? { name: 'fees', status: 'fault', detail: `${detail}: wait, or raise VOUCH_MAX_FEE_GWEI` }
    : { name: 'fees', status: 'ok', detail };
}

async function checkBalance(rpc: RpcClient, deployer: Hex, { gas, wei }: Cost, signal?: AbortSignal): Promise<Finding> {
  const balance = await getBalance(rpc, deployer, signal);
  if (gas === null) return { name: 'balance', status: 'warning', detail: `${showEther(balance)}; the required balance is unknown while the simulation fails` };
  const detail = `${showEther(balance)}; up to ${showEther(wei)} required`;
  return balance < wei
    ? { name: 'balance', status: 'fault', detail: `${detail}: send ${showEther(wei - balance)} more to ${deployer}` }
    : { name: 'balance', status: 'ok', detail };
}
