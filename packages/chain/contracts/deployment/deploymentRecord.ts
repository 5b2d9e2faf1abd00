import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import type { Domain, Hex } from '../../messages/operation.ts';
import { parseAddress, parseBytes, parseHash, parseList, parseNullable, parseObject } from '../../rpc/parseResult.ts';
import type { Contracts } from './contractNames.ts';
import { DeploymentFault } from './deploymentFault.ts';

/** The facts about a deployment that gateways and nodes need. */
export interface DeploymentFacts {
  domain: Domain;
  /** Ethereum address, lower case. */
  service: Hex;
  /** Block of the first contract: scans can start here. */
  firstBlock: number;
}

/** A signed transaction, recorded before it is sent. */
export interface Attempt {
  nonce: number;
  hash: Hex;
  raw: Hex;
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
}

/** A transaction of the deployment with its progress. */
export interface RecordedStep {
  name: string;
  to: Hex | null;
  data: Hex;
  /** Name and Ethereum address of the created contract. */
  creates: { contract: string; address: Hex } | null;
  /** Several attempts if fees had to be raised. All have the same effect, and at most one gets into a block. */
  attempts: readonly Attempt[];
  /** The included attempt; null until one is included. */
  mined: { hash: Hex; block: number; gasUsed: bigint; feeWei: bigint } | null;
}

/** Content of a deployment's file, for continuing and later verifying the deployment. */
export interface DeploymentRecord {
  state: 'unfinished' | 'complete';
  chainId: bigint;
  domain: { name: string; version: string };
  deployer: Hex;
  /** Nonce of the first transaction; the contracts' addresses are computed from it. */
  firstNonce: number;
  /** Ethereum address of the contracts' owner. */
  owner: Hex;
  contracts: Contracts;
  compiler: string;
  sourceDigests: Readonly<Record<string, string>>;
  /** Functions and events by contract. */
  interfaces: Readonly<Record<string, readonly string[]>>;
  /** Parsed content of the file that described the deployment. */
  wanted: Readonly<Record<string, unknown>>;
  steps: readonly RecordedStep[];
}

/** Maximum length of a record in characters; real records are far smaller. */
const lengthMax = 8 * 2 ** 20;

/** Reads a deployment record. @returns null if the file does not exist @throws DeploymentFault `input` */
export async function readRecord(path: string): Promise<DeploymentRecord | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new DeploymentFault('input', `The deployment record ${path} cannot be read (${error.code}): give this user read permission.`);
  });
  return text === null ? null : parseRecordText(text, path);
}

/**
 * @param path name of the file for messages
 * @throws DeploymentFault `input`
 */
function parseRecordText(text: string, path: string): DeploymentRecord {
  try {
    if (text.length > lengthMax) throw new Error(`it has ${text.length} characters`);
    return parseRecord(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error ? error.message.slice(0, 200) : 'it has an unexpected format';
    throw new DeploymentFault('input', `${path} is not a deployment record (${why}). Name the file that vouch contracts deploy wrote, or restore it from a backup.`, { cause: error });
  }
}

/**
 * Reads the part of a deployment record that gateways and nodes use.
 * @throws DeploymentFault `input` if the file is missing or damaged, or the deployment is unfinished
 * @example
 * const { service, domain, firstBlock } = readDeploymentFacts('deployment.json');
 */
export function readDeploymentFacts(path: string): DeploymentFacts {
  try {
    return factsOf(parseRecordText(readFileSync(path, 'utf8'), path), path);
  } catch (error) {
    if (error instanceof DeploymentFault) throw error;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new DeploymentFault('input', `The deployment record ${path} cannot be read (${code}). vouch contracts deploy writes one.`, { cause: error });
  }
}

/** Extracts the facts from a record. @throws DeploymentFault `input` if the deployment is unfinished */
export function factsOf({ state, chainId, domain, contracts, steps }: DeploymentRecord, path: string): DeploymentFacts {
  const firstBlock = steps.find(({ mined }) => mined !== null)?.mined?.block;
  if (state !== 'complete' || firstBlock === undefined) {
    throw new DeploymentFault('input', `The deployment of ${path} is unfinished: run vouch contracts deploy again, which continues it.`);
  }
  return { domain: { ...domain, chainId }, service: contracts.service, firstBlock };
}

/** Writes the record atomically, readable only for this user. */
export async function writeRecord(path: string, record: DeploymentRecord): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify(toFile(record), null, 2)}\n`);
}

function toFile(record: DeploymentRecord): object {
  return {
    format: 1,
    state: record.state,
    chain_id: Number(record.chainId),
    domain: record.domain,
    contracts: record.contracts,
    owner: record.owner,
    deployer: record.deployer,
    first_nonce: record.firstNonce,
    compiler: record.compiler,
    source_digests: record.sourceDigests,
    wanted: record.wanted,
    steps: record.steps.map(({ name, to, creates, attempts, mined, data }) => ({
      name, to, creates,
      mined: mined === null ? null : { hash: mined.hash, block: mined.block, gas_used: Number(mined.gasUsed), fee_wei: String(mined.feeWei) },
      attempts: attempts.map((attempt) => ({
        nonce: attempt.nonce, hash: attempt.hash, max_fee_wei: String(attempt.maxFeeWei), priority_fee_wei: String(attempt.priorityFeeWei), raw: attempt.raw,
      })),
      data,
    })),
    interfaces: record.interfaces,
  };
}

function parseRecord(value: unknown): DeploymentRecord {
  const file = parseObject(value);
  if (file['format'] !== 1) throw new Error(`its format is ${JSON.stringify(file['format'])}, not 1`);
  const { state } = file;
  if (state !== 'unfinished' && state !== 'complete') throw new Error('its state is neither unfinished nor complete');
  const domain = parseObject(file['domain']);
  return {
    state,
    chainId: BigInt(parseNumber(file['chain_id'])),
    domain: { name: parseText(domain['name']), version: parseText(domain['version']) },
    deployer: parseAddress(file['deployer']),
    firstNonce: parseNumber(file['first_nonce']),
    owner: parseAddress(file['owner']),
    contracts: parseContracts(file['contracts']),
    compiler: parseText(file['compiler']),
    sourceDigests: parseMap(file['source_digests'], parseText),
    interfaces: parseMap(file['interfaces'], (names) => parseList(names, parseText)),
    wanted: parseObject(file['wanted']),
    steps: parseList(file['steps'], parseStep),
  };
}

function parseContracts(value: unknown): Contracts {
  const contracts = parseObject(value);
  return {
    timelock: parseNullable(parseAddress)(contracts['timelock']), rewardToken: parseAddress(contracts['rewardToken']), settings: parseAddress(contracts['settings']),
    license: parseAddress(contracts['license']), rewardPool: parseAddress(contracts['rewardPool']), randomness: parseAddress(contracts['randomness']),
    service: parseAddress(contracts['service']), slasher: parseAddress(contracts['slasher']),
  };
}

function parseStep(value: unknown): RecordedStep {
  const step = parseObject(value);
  const creates = parseNullable(parseObject)(step['creates']);
  const mined = parseNullable(parseObject)(step['mined']);
  return {
    name: parseText(step['name']),
    to: parseNullable(parseAddress)(step['to']),
    data: parseBytes(step['data']),
    creates: creates === null ? null : { contract: parseText(creates['contract']), address: parseAddress(creates['address']) },
    attempts: parseList(step['attempts'], parseAttempt),
    mined: mined === null ? null : {
      hash: parseHash(mined['hash']), block: parseNumber(mined['block']), gasUsed: BigInt(parseNumber(mined['gas_used'])), feeWei: parseWei(mined['fee_wei']),
    },
  };
}

function parseAttempt(value: unknown): Attempt {
  const attempt = parseObject(value);
  return {
    nonce: parseNumber(attempt['nonce']), hash: parseHash(attempt['hash']), raw: parseBytes(attempt['raw']),
    maxFeeWei: parseWei(attempt['max_fee_wei']), priorityFeeWei: parseWei(attempt['priority_fee_wei']),
  };
}

function parseMap<Value>(value: unknown, read: (member: unknown) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(parseObject(value)).map(([name, member]) => [name, read(member)]));
}

function parseNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('a number is missing');
  return value;
}

function parseWei(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value)) throw new Error('an amount is missing');
  return BigInt(value);
}

function parseText(value: unknown): string {
  if (typeof value !== 'string') throw new Error('a text is missing');
  return value;
}
