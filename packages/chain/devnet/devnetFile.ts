import { readFile } from 'node:fs/promises';
import { writePrivateFile } from '@vouch/platform/process/writePrivateFile';
import type { Deployment } from '../contracts/deploy.ts';
import type { Domain, Hex } from '../messages/operation.ts';
import { readAddress, readBytes, readHash, readList, readObject } from '../rpc/readResult.ts';
import type { Genesis } from './startAnvil.ts';

export interface DevnetAccount {
  /** Lower case. */
  address: Hex;
  privateKey: Hex;
}

/** What there is on the local chain; kept in devnet.json. */
export interface DevnetFacts {
  rpcUrl: string;
  chainId: bigint;
  /** The first block. By its hash a chain that was made anew is told from the one before. */
  genesis: Genesis & { hash: Hex };
  contracts: Deployment;
  /** Owner of the contracts: mints licenses, names TEEs. */
  owner: DevnetAccount;
  /** Pays for the gateway's transactions. */
  relayer: DevnetAccount;
  /** Each holds a license. */
  operators: readonly DevnetAccount[];
  domain: Domain;
}

/** devnet.json is there and cannot be used. The message is a sentence with what to do. */
export class DevnetFileFault extends Error {
  override readonly name = 'DevnetFileFault';
}

/** Null where there is no file. @throws DevnetFileFault */
export async function readDevnetFile(path: string): Promise<DevnetFacts | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new DevnetFileFault(`${path} cannot be read (${error.code}): give this user the right to read it.`);
  });
  if (text === null) return null;
  try {
    return parseFacts(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it has another form';
    throw new DevnetFileFault(`${path} is not what was written there (${why}). Remove it, and a new local chain is made.`, { cause: error });
  }
}

/** Writes the file in one step, readable for this user alone: it holds keys. */
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
  await writePrivateFile(path, `${JSON.stringify(file, null, 2)}\n`);
}

function writeAccount({ address, privateKey }: DevnetAccount): object {
  return { address, private_key: privateKey };
}

function parseFacts(value: unknown): DevnetFacts {
  const file = readObject(value);
  const contracts = readObject(file['contracts']);
  const domain = readObject(file['domain']);
  const rpcUrl = readText(file['rpc_url']);
  if (!/^http:\/\/127\.0\.0\.1:\d{1,5}$/.test(rpcUrl)) throw new Error('rpc_url is no address on this machine');
  const chainId = BigInt(readNumber(file['chain_id']));
  return {
    rpcUrl,
    chainId,
    genesis: parseGenesis(file['genesis']),
    contracts: {
      service: readAddress(contracts['service']),
      license: readAddress(contracts['license']),
      settings: readAddress(contracts['settings']),
      vrf: readAddress(contracts['vrf']),
      rewardPool: readAddress(contracts['reward_pool']),
      rewardToken: readAddress(contracts['reward_token']),
      multicall3: readAddress(contracts['multicall3']),
    },
    owner: parseAccount(file['owner']),
    relayer: parseAccount(file['relayer']),
    operators: readList(file['operators'], parseAccount),
    domain: { name: readText(domain['name']), version: readText(domain['version']), chainId },
  };
}

function parseGenesis(value: unknown): DevnetFacts['genesis'] {
  const genesis = readObject(value);
  return { hash: readHash(genesis['hash']), timestamp: readNumber(genesis['timestamp']), baseFee: BigInt(readNumber(genesis['base_fee'])) };
}

function parseAccount(value: unknown): DevnetAccount {
  const account = readObject(value);
  // A wrong key must not be shown in a sentence.
  const key = account['private_key'];
  if (typeof key !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(key)) throw new Error('a private_key is no key');
  return { address: readAddress(account['address']), privateKey: readBytes(key, 32) };
}

function readNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('a number is missing');
  return value;
}

function readText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a text is missing');
  return value;
}
