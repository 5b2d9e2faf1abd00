import { readFile } from 'node:fs/promises';
import type { WantedDeployment } from '@vouch/chain/contracts/deployment/wantedDeployment';
import type { Hex } from '@vouch/chain/messages/operation';
import { describeRange } from '@vouch/platform/config/describeRange';
import { nearestName } from '@vouch/platform/config/nearestName';
import { shortenJson } from '@vouch/platform/errors/shorten';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import { parse, TomlError } from 'smol-toml';
import type { TObject, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { CommandFault } from '../terminal/commandFault.ts';
import { DeploymentFile } from './deploymentFile.ts';

/** The checked file, completed with defaults, and the deployment that the file describes. */
export interface ReadDeploymentFile {
  file: DeploymentFile;
  wanted: WantedDeployment;
}

/**
 * Reads and checks a deployment file.
 * @throws CommandFault that lists every fault of the file
 */
export async function readDeploymentFile(path: string): Promise<ReadDeploymentFile> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFault(exitCodes.input, `The deployment file ${path} cannot be read (${error.code ?? 'unknown reason'}). docs/guides/contracts-deployment.md describes the file.`);
  });
  return checkDeploymentFile(parseToml(text, path), path);
}

/**
 * Checks the parsed content of a deployment file.
 * @param value content of the file, or the copy in the record of a deployment
 * @param source name of the file or record for error messages
 * @throws CommandFault that lists every fault
 */
export function checkDeploymentFile(value: unknown, source: string): ReadDeploymentFile {
  const faults: string[] = [];
  const file = parseTable(DeploymentFile, value, '', faults) as DeploymentFile;
  if (faults.length === 0 && file.settings.min_online >= file.settings.day_length) {
    faults.push(`settings.min_online is ${file.settings.min_online}; it must be less than settings.day_length, ${file.settings.day_length}.`);
  }
  if (faults.length > 0) throw new CommandFault(exitCodes.usage, `${source} has ${faults.length === 1 ? 'an error' : `${faults.length} errors`}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return { file, wanted: toWanted(file) };
}

function parseToml(text: string, path: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const sentence = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    throw new CommandFault(exitCodes.usage, `${path}, line ${error.line}, column ${error.column}: ${sentence}.`);
  }
}

function parseTable(schema: TObject, value: unknown, prefix: string, faults: string[]): Record<string, unknown> {
  const written = isTable(value) ? value : {};
  if (!isTable(value)) faults.push(`${prefix.replace(/\.$/, '') || 'The file'} is not a table.`);
  const known = Object.keys(schema.properties);
  for (const key of Object.keys(written)) {
    const nearest = known.includes(key) ? null : nearestName(key, known);
    if (!known.includes(key)) faults.push(`${prefix}${key} is an unknown key${nearest === null ? '' : `; did you mean ${prefix}${nearest}?`}`.replace(/(?<!\?)$/, '.'));
  }
  const required = (schema.required ?? []) as readonly string[];
  return Object.fromEntries(Object.entries(schema.properties).flatMap(([key, part]) => {
    const read = parseMember(part, written[key], { name: `${prefix}${key}`, required: required.includes(key) }, faults);
    return read === undefined ? [] : [[key, read]];
  }));
}

function parseMember(schema: TSchema, value: unknown, { name, required }: { name: string; required: boolean }, faults: string[]): unknown {
  if ('properties' in schema) return value === undefined && !required ? undefined : parseTable(schema as TObject, value ?? {}, `${name}.`, faults);
  const given = value ?? (schema as { default?: unknown }).default;
  if (given === undefined) {
    if (required) faults.push(`${name} is missing; it must be ${describeRange(schema)}.`);
    return undefined;
  }
  if (!Value.Check(schema, given)) faults.push(`${name} is ${show(given)}; it must be ${describeRange(schema)}.`);
  return given;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function show(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? String(member) : member)) ?? String(value);
  return shortenJson(text, 120);
}

function toWanted({ chain_id: chainId, owner, timelock, roles, reward_token: token, rewards, randomness, settings, ...file }: DeploymentFile): WantedDeployment {
  return {
    chainId: BigInt(chainId),
    domain: file.domain,
    owner: lower(owner),
    timelock: timelock === undefined ? null : {
      delaySeconds: timelock.delay, proposers: (timelock.proposers ?? [owner]).map(lower), executors: (timelock.executors ?? [owner]).map(lower),
    },
    roles: { tees: roles.tees.map(lower), slashers: roles.slashers.map(lower), arbiters: roles.arbiters.map(lower) },
    license: file.license,
    rewardToken: token.address !== undefined ? { kind: 'existing', address: lower(token.address) } : {
      kind: 'new', name: token.name, symbol: token.symbol, supply: BigInt(token.supply), holder: token.holder === 'pool' ? 'pool' : lower(token.holder),
    },
    rewards: { daily: BigInt(rewards.daily), slash: BigInt(rewards.slash) },
    randomness: {
      coordinator: lower(randomness.coordinator), subscriptionId: BigInt(randomness.subscription_id), keyHash: lower(randomness.key_hash),
      requestConfirmations: randomness.request_confirmations, callbackGasLimit: randomness.callback_gas_limit, nativePayment: randomness.native_payment,
    },
    rules: {
      reportWindow: settings.report_window, maxExpiry: settings.max_expiry, commissionInterval: settings.commission_interval, dayLength: settings.day_length,
      minOnline: settings.min_online, maxActiveNodes: settings.max_active_nodes, maxChosenNodes: settings.max_chosen_nodes,
      maxCommissionIncrease: settings.max_commission_increase, maxMissedReports: settings.max_missed_reports, maxDelegations: settings.max_delegations,
    },
    verdictRules: {
      quorum: settings.quorum, randomnessRetry: settings.randomness_retry, selectionPeriod: settings.selection_period, slashDelay: settings.slash_delay,
    },
    changeDelay: settings.change_delay,
  };
}

function lower(hex: string): Hex {
  return hex.toLowerCase() as Hex;
}
