import type { Random } from '@vouch/platform/process/systemInterfaces';
import { privateKeyToAddress } from 'viem/accounts';
import { deployContracts } from '../contracts/deploy.ts';
import { mintLicenses } from '../contracts/devnetActions.ts';
import { localRules, localVerdictRules } from '../contracts/rules.ts';
import type { Hex } from '../messages/operation.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import type { DevnetAccount, DevnetFacts } from './devnetFile.ts';
import { localChainId } from './localChainId.ts';

const ether = 10n ** 18n;
/** Enough gas for years of transactions at the local chain's fees. */
const ownerWei = 10_000n * ether;
const relayerWei = 10_000n * ether;
/** Operators need no balance with the gateway; this amount pays for their own transactions (chain.enable_gas_mode). */
const operatorWei = 10n * ether;
const domain = { name: 'ProtocolService', version: '1.0.0' };

interface SetUpOptions {
  /** Facts of a previous chain, whose keys are reused. */
  known: DevnetFacts | null;
  operators: number;
  random: Random;
}

/**
 * Sets up an empty local chain: funded accounts, the contracts with short periods, and a license for each operator.
 */
export async function setUpChain(
  rpc: RpcClient, { known, operators, random }: SetUpOptions,
): Promise<Omit<DevnetFacts, 'rpcUrl' | 'genesis'>> {
  const owner = known?.owner ?? makeAccount(random);
  const relayer = known?.relayer ?? makeAccount(random);
  const nodes = known?.operators ?? Array.from({ length: operators }, () => makeAccount(random));
  await setBalance(rpc, owner, ownerWei);
  await setBalance(rpc, relayer, relayerWei);
  const mine = mineWith(rpc);
  const contracts = await deployContracts(rpc, { deployerKey: owner.privateKey, domain, rules: localRules, verdictRules: localVerdictRules, mine });
  await setUpOperators(rpc, { contracts, owner }, nodes);
  return {
    chainId: BigInt(localChainId), contracts, owner, relayer, operators: nodes, domain: { ...domain, chainId: BigInt(localChainId) },
  };
}

/** Adds operators, each with a license, until there are `wanted` operators. */
export async function addOperators(rpc: RpcClient, facts: DevnetFacts, wanted: number, random: Random): Promise<DevnetFacts> {
  const added = Array.from({ length: Math.max(0, wanted - facts.operators.length) }, () => makeAccount(random));
  if (added.length === 0) return facts;
  await setUpOperators(rpc, facts, added);
  return { ...facts, operators: [...facts.operators, ...added] };
}

async function setUpOperators(
  rpc: RpcClient, { contracts, owner }: Pick<DevnetFacts, 'contracts' | 'owner'>, operators: readonly DevnetAccount[],
): Promise<void> {
  for (const operator of operators) await setBalance(rpc, operator, operatorWei);
  const holders = operators.map(({ address }) => ({ address, count: 1 }));
  await mintLicenses(rpc, contracts, holders, { key: owner.privateKey, mine: mineWith(rpc) });
}

/** Creates an account with a random key. The well-known test keys are unsafe: anyone can take funds that are sent to them on a real chain. */
function makeAccount(random: Random): DevnetAccount {
  const privateKey: Hex = `0x${random.bytes(32).toString('hex')}`;
  return { privateKey, address: privateKeyToAddress(privateKey).toLowerCase() as Hex };
}

async function setBalance(rpc: RpcClient, { address }: DevnetAccount, wei: bigint): Promise<void> {
  await rpc.request('anvil_setBalance', [address, wei]);
}

function mineWith(rpc: RpcClient): () => Promise<void> {
  return async () => void (await rpc.request('evm_mine'));
}
