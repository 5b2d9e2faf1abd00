import { encodeDeployData, encodeFunctionData, getContractAddress, keccak256, toBytes } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import type { Hex } from '../messages/operation.ts';
import { getNonce } from '../rpc/chainReads.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { disputableSlasherAbi } from './abi/disputableSlasher.ts';
import { licenseAbi } from './abi/license.ts';
import { localRandomnessAbi } from './abi/localRandomness.ts';
import { rewardPoolAbi } from './abi/rewardPool.ts';
import { rewardTokenAbi } from './abi/rewardToken.ts';
import { settingsAbi } from './abi/settings.ts';
import { verifierServiceAbi } from './abi/verifierService.ts';
import { disputableSlasherBytecode } from './bytecode/disputableSlasher.ts';
import { licenseBytecode } from './bytecode/license.ts';
import { localRandomnessBytecode } from './bytecode/localRandomness.ts';
import { multicall3Bytecode } from './bytecode/multicall3.ts';
import { rewardPoolBytecode } from './bytecode/rewardPool.ts';
import { rewardTokenBytecode } from './bytecode/rewardToken.ts';
import { settingsBytecode } from './bytecode/settings.ts';
import { verifierServiceBytecode } from './bytecode/verifierService.ts';
import { defaultRules, defaultVerdictRules, type Rules, type VerdictRules } from './rules.ts';
import { sendTransactions, type SendOptions, type Transaction } from './sendTransactions.ts';

/** Ethereum addresses of the contracts of a deployment, lower case. `vrf` is the deterministic source of randomness. */
export interface Deployment {
  service: Hex;
  license: Hex;
  settings: Hex;
  vrf: Hex;
  rewardPool: Hex;
  rewardToken: Hex;
  multicall3: Hex;
}

export interface DeployOptions extends Omit<SendOptions, 'key'> {
  /** 32 bytes. The deployer owns all contracts: it mints licenses and registers TEEs, and has the slasher and arbiter roles. */
  deployerKey: Hex;
  /** Signing domain. Default: `ProtocolService`, `1.0.0`. Use a different version for each deployment on a chain. */
  domain?: { name: string; version: string };
  /** Rules that override the defaults, for example shorter periods. */
  rules?: Partial<Rules>;
  /** Verdict rules that override the defaults. */
  verdictRules?: Partial<VerdictRules>;
  /** Seconds between announcing a setting and its effect; cannot be changed later. Default: 0, for fast local work. */
  changeDelay?: number;
  /** Reward that all nodes share per day, in the smallest unit of the reward token. Default: 1000 tokens. */
  dailyReward?: bigint;
  /** Maximum amount of one slash. Default: 1 token. */
  slashAmount?: bigint;
  /** Accounts that may report attestations. Default: the deployer. */
  tees?: readonly Hex[];
  /** Seed of the local randomness, 32 bytes. */
  seed?: Hex;
  /** Creation code of another service with the same constructor and functions. */
  serviceBytecode?: Hex;
}

const roles = ['SLASHER_ROLE', 'ARBITER_ROLE'].map((name) => keccak256(toBytes(name)));
const token = 10n ** 18n;
const supply = 1_000_000_000n * token;
/** Gas limits per deployment on chains with Ethereum's gas costs; unused gas is not charged. */
const serviceGas = 9_000_000n;
const smallGas = 2_000_000n;

/**
 * Deploys all contracts of a local chain, with a funded reward pool.
 *
 * The addresses are computed from the deployer and its nonce, so the account must not send other transactions in the meantime.
 * @throws Error with the name of the step that reverted; RpcRefused, RpcUnavailable
 * @example
 * const contracts = await deployContracts(rpc, { deployerKey });
 */
export async function deployContracts(rpc: RpcClient, options: DeployOptions): Promise<Deployment> {
  const deployer = privateKeyToAddress(options.deployerKey);
  const nonce = await getNonce(rpc, deployer.toLowerCase() as Hex, 'pending', options.signal);
  const addressAt = (place: number): Hex => getContractAddress({ from: deployer, nonce: BigInt(nonce + place) }).toLowerCase() as Hex;
  const deployment: Deployment = {
    rewardToken: addressAt(0),
    settings: addressAt(1),
    license: addressAt(2),
    rewardPool: addressAt(3),
    vrf: addressAt(4),
    multicall3: addressAt(5),
    service: addressAt(6),
  };
  // Not part of Deployment: clients read this address from the service, `slasher()`.
  const slasher = addressAt(7);
  const transactions = [...deployments(deployment, options), ...introductions(deployment, slasher, options)];
  await sendTransactions(rpc, transactions, { ...options, key: options.deployerKey });
  return deployment;
}

/** Builds the deploying transactions, in the order of the addresses. */
function deployments(at: Deployment, options: DeployOptions): Transaction[] {
  const { domain = { name: 'ProtocolService', version: '1.0.0' }, dailyReward = 1_000n * token, slashAmount = token } = options;
  const { seed = `0x${'11'.repeat(32)}`, serviceBytecode = verifierServiceBytecode, changeDelay = 0 } = options;
  const rules = { ...defaultRules, ...options.rules };
  const verdictRules = { ...defaultVerdictRules, ...options.verdictRules };
  const small: Hex[] = [
    encodeDeployData({ abi: rewardTokenAbi, bytecode: rewardTokenBytecode, args: ['Vouch Local Reward', 'VLR', at.rewardPool, supply] }),
    encodeDeployData({ abi: settingsAbi, bytecode: settingsBytecode, args: [rules, verdictRules, dailyReward, slashAmount, changeDelay] }),
    encodeDeployData({ abi: licenseAbi, bytecode: licenseBytecode, args: ['Vouch Verifier License', 'VVL'] }),
    encodeDeployData({ abi: rewardPoolAbi, bytecode: rewardPoolBytecode, args: [at.rewardToken] }),
    encodeDeployData({ abi: localRandomnessAbi, bytecode: localRandomnessBytecode, args: [seed] }),
    multicall3Bytecode,
  ];
  const service = encodeDeployData({
    abi: verifierServiceAbi,
    bytecode: serviceBytecode,
    args: [at.settings, at.license, at.vrf, at.rewardPool, domain.name, domain.version],
  });
  const admin = privateKeyToAddress(options.deployerKey);
  const slasher = encodeDeployData({ abi: disputableSlasherAbi, bytecode: disputableSlasherBytecode, args: [at.service, admin, changeDelay] });
  return [...small.map((data) => ({ data, gas: smallGas })), { data: service, gas: serviceGas }, { data: slasher, gas: smallGas }];
}

/** Builds the transactions that connect the contracts and assign the roles. */
function introductions({ service, license, rewardPool }: Deployment, slasher: Hex, { deployerKey, tees, serviceBytecode }: DeployOptions): Transaction[] {
  const gas = 200_000n;
  const deployer = privateKeyToAddress(deployerKey);
  return [
    { to: license, data: encodeFunctionData({ abi: licenseAbi, functionName: 'setService', args: [service] }), gas },
    { to: rewardPool, data: encodeFunctionData({ abi: rewardPoolAbi, functionName: 'setService', args: [service] }), gas },
    ...(tees ?? [deployer]).map((tee) => ({
      to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'setTee', args: [tee, true] }), gas,
    })),
    // A custom service bytecode is a test service without a slasher.
    ...(serviceBytecode === undefined ? [{ to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'setSlasher', args: [slasher] }), gas }] : []),
    ...roles.map((role) => ({
      to: slasher, data: encodeFunctionData({ abi: disputableSlasherAbi, functionName: 'grantRole', args: [role, deployer] }), gas,
    })),
  ];
}
