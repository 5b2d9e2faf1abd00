import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import type { Deployment } from '../contracts/deploy.ts';
import type { Domain, Hex } from '../messages/operation.ts';
import { parseAddress, parseBytes, parseHash, parseList, parseObject } from '../rpc/parseResult.ts';
import type { Genesis } from './startAnvil.ts';

export interface DevnetAccount {
  /** Ethereum address, lower case. */
  address: Hex;
  privateKey: Hex;
}

/** Facts about the local chain, stored in devnet.json. */
export interface DevnetFacts {
  rpcUrl: string;
  chainId: bigint;
  /** Block 0. Its hash distinguishes the current chain from earlier chains of the same folder. */
  genesis: Genesis & { hash: Hex };
  contracts: Deployment;
  /** Owner of the contracts: mints licenses and registers TEEs. */
  owner: DevnetAccount;
  /** Account that pays the gas of the gateway's transactions. */
  relayer: DevnetAccount;
  /** Operator accounts; each holds a license. */
  operators: readonly DevnetAccount[];
  domain: Domain;
}

/** Thrown if devnet.json exists but cannot be used. The message is a sentence with the fix. */
class DevnetFileFault extends Error {
  override readonly name = 'DevnetFileFault';
}

/** Reads devnet.json. @returns null if the file does not exist @throws DevnetFileFault */
export async function readDevnetFile(path: string): Promise<DevnetFacts | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new DevnetFileFault(`${path} cannot be read (${error.code}): give this user read permission.`);
  });
  if (text === null) return null;
  try {
    return parseFacts(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it has an unexpected format';
    throw new DevnetFileFault(`${path} was changed or damaged (${why}). Remove the file to create a new local chain.`, { cause: error });
  }
}

/** Writes the file atomically, readable only for this user, because the file contains private keys. */
export async function writeDevnetFile(path: string, facts: DevnetFacts): Promise<void> {
  const { contracts, domain } = facts;
  const file = {
    rpc_url: facts.rpcUrl,
    chain_id: Number(facts.chainId),
    genesis: { hash: facts.genesis.hash, timestamp: facts.genesis.timestamp, base_fee: Number(facts.genesis.baseFee) },
    contracts: {
      service: contracts.service, license: contracts.license, settings: contracts.settings, vrf: contracts.vrf,
      reward_pool: contracts.rewardPool, reward_token: contracts.rewardToken, multicall3: contracts.multicall3,
    },
    owner: writeAccount(facts.owner),
    relayer: writeAccount(facts.relayer),
    operators: facts.operators.map(writeAccount),
    domain: { name: domain.name, version: domain.version },
  };
  await writeFileAtomically(path, `${JSON.stringify(file, null, 2)}\n`);
}

function writeAccount({ address, privateKey }: DevnetAccount): object {
  return { address, private_key: privateKey };
}

function parseFacts(value: unknown): DevnetFacts {
  const file = parseObject(value);
  const contracts = parseObject(file['contracts']);
  const domain = parseObject(file['domain']);
  const rpcUrl = parseText(file['rpc_url']);
  if (!/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(rpcUrl)) throw new Error('rpc_url is not a URL on this machine');
  const chainId = BigInt(parseNumber(file['chain_id']));
  return {
    rpcUrl,
    chainId,
    genesis: parseGenesis(file['genesis']),
    contracts: {
      service: parseAddress(contracts['service']),
      license: parseAddress(contracts['license']),
      settings: parseAddress(contracts['settings']),
      vrf: parseAddress(contracts['vrf']),
      rewardPool: parseAddress(contracts['reward_pool']),
      rewardToken: parseAddress(contracts['reward_token']),
      multicall3: parseAddress(contracts['multicall3']),
    },
    owner: parseAccount(file['owner']),
    relayer: parseAccount(file['relayer']),
    operators: parseList(file['operators'], parseAccount),
    domain: { name: parseText(domain['name']), version: parseText(domain['version']), chainId },
  };
}

function parseGenesis(value: unknown): DevnetFacts['genesis'] {
  const genesis = parseObject(value);
  return { hash: parseHash(genesis['hash']), timestamp: parseNumber(genesis['timestamp']), baseFee: BigInt(parseNumber(genesis['base_fee'])) };
}

function parseAccount(value: unknown): DevnetAccount {
  const account = parseObject(value);
  // The error message must not contain the key, not even an invalid one.
  const key = account['private_key'];
  if (typeof key !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error('a private_key is invalid');
  return { address: parseAddress(account['address']), privateKey: parseBytes(key, 32) };
}

function parseNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('a number is missing');
  return value;
}

function parseText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a text is missing');
  return value;
}
