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

/** Addresses of a deployment, lower case. `vrf` is the deterministic source of randomness. */
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
  /** 32 bytes. The deployer becomes owner of everything: it mints licenses, names TEEs, and is slasher and arbiter. */
  deployerKey: Hex;
  /** Signing domain; `ProtocolService` and `1.0.0` unless told. Each deployment on a chain should have a version of its own. */
  domain?: { name: string; version: string };
  /** Rules that differ from the default ones, e.g. shorter periods. */
  rules?: Partial<Rules>;
  /** Rules of verdicts that differ from the default ones. */
  verdictRules?: Partial<VerdictRules>;
  /** Seconds between the announcement of a setting and its effect, for ever; 0 unless told, so that local work stays quick. */
  changeDelay?: number;
  /** What all nodes of a day share, smallest units of the reward token; 1000 tokens unless told. */
  dailyReward?: bigint;
  /** What a slash takes at most; 1 token unless told. */
  slashAmount?: bigint;
  /** Who may report attestations; the deployer unless told. */
  tees?: readonly Hex[];
  /** Seed of the local randomness, 32 bytes. */
  seed?: Hex;
  /** Code of another service with the same constructor and functions. */
  serviceBytecode?: Hex;
}

const roles = ['SLASHER_ROLE', 'ARBITER_ROLE'].map((name) => keccak256(toBytes(name)));
const token = 10n ** 18n;
const supply = 1_000_000_000n * token;
/** Enough for each on chains that count gas as Ethereum does; unused gas costs nothing. */
const serviceGas = 9_000_000n;
const smallGas = 2_000_000n;

/**
 * Deploys everything that a local chain needs, with the reward pool filled, in one run of transactions.
 *
 * The addresses follow from the deployer and its nonce. The account must not send anything else meanwhile.
 * @throws Error naming what reverted; RpcRefused, RpcUnavailable
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
  // Named by the service itself, `slasher()`.
  const slasher = addressAt(7);
  const transactions = [...deployments(deployment, options), ...introductions(deployment, slasher, options)];
  await sendTransactions(rpc, transactions, { ...options, key: options.deployerKey });
  return deployment;
}

/** In the order of the addresses. */
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

/** The contracts learn of each other. */
function introductions({ service, license, rewardPool }: Deployment, slasher: Hex, { deployerKey, tees, serviceBytecode }: DeployOptions): Transaction[] {
  const gas = 200_000n;
  const deployer = privateKeyToAddress(deployerKey);
  return [
    { to: license, data: encodeFunctionData({ abi: licenseAbi, functionName: 'setService', args: [service] }), gas },
    { to: rewardPool, data: encodeFunctionData({ abi: rewardPoolAbi, functionName: 'setService', args: [service] }), gas },
    ...(tees ?? [deployer]).map((tee) => ({
      to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'setTee', args: [tee, true] }), gas,
    })),
    // A service of tests has no slasher.
    ...(serviceBytecode === undefined ? [{ to: service, data: encodeFunctionData({ abi: verifierServiceAbi, functionName: 'setSlasher', args: [slasher] }), gas }] : []),
    ...roles.map((role) => ({
      to: slasher, data: encodeFunctionData({ abi: disputableSlasherAbi, functionName: 'grantRole', args: [role, deployer] }), gas,
    })),
  ];
}
