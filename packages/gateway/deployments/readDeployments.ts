import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isKeyReference } from '@vouch/chain/signers/keyReference';
import { ConfigurationError, loadConfiguration, parseToml, type ConfigurationFault } from '@vouch/platform/config/loadConfiguration';
import { deploymentSettings, type DeploymentSettings } from '../settings/gatewaySettings.ts';
import { defaultName, settingOf, type NamedDeployment } from './namedDeployment.ts';
import { withRecord } from './recordedSettings.ts';

const namePattern = /^[a-z0-9][a-z0-9-]{0,31}$/;
/** Maximum number of deployments; each one has its own PostgreSQL connections and lanes. */
const maxDeployments = 32;
const guide = 'The guide "The signed-message gateway" has an example under "Several chains".';

/**
 * Reads the file of further deployments.
 * @param beside settings of the environment variables; no table may repeat their contract or keys
 * @throws ConfigurationError with every fault: file, table and key, value, remedy
 * @example
 * const deployments = readDeployments('/etc/vouch/deployments.toml', configuration);
 */
export function readDeployments(path: string, beside: DeploymentSettings): NamedDeployment[] {
  const faults: ConfigurationFault[] = [];
  const entries = Object.entries(readTables(path, faults));
  if (faults.length === 0 && entries.length === 0) faults.push({ name: 'VOUCH_GATEWAY_DEPLOYMENTS', source: path, detail: `the file has no deployment. Add a table per deployment, or remove the setting. ${guide}` });
  if (entries.length > maxDeployments) faults.push({ name: 'VOUCH_GATEWAY_DEPLOYMENTS', source: path, detail: `the file has ${entries.length} deployments; one gateway serves at most ${maxDeployments}. Serve the others with another gateway.` });
  const read = entries.flatMap(([name, table]) => parseEntry({ path, name, table }, faults) ?? []);
  for (const fault of findRepeats(path, [{ name: defaultName, settings: beside }, ...read])) faults.push(fault);
  if (faults.length > 0) throw new ConfigurationError(faults);
  return read;
}

function readTables(path: string, faults: ConfigurationFault[]): Readonly<Record<string, unknown>> {
  try {
    return parseToml({ path, text: readFileSync(path, 'utf8') }, faults);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    faults.push({ name: 'VOUCH_GATEWAY_DEPLOYMENTS', source: path, detail: `the file cannot be read (${code}); it must be a text file that this user can read.` });
    return {};
  }
}

interface Entry {
  path: string;
  name: string;
  table: unknown;
}

/**
 * Reads one table.
 * @returns null if the table has faults, which are added to `faults`
 */
function parseEntry({ path, name, table }: Entry, faults: ConfigurationFault[]): NamedDeployment | null {
  const fault = (key: string | null, detail: string): null => {
    faults.push({ name: key === null ? name : `${name}.${key}`, source: path, detail });
    return null;
  };
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    const known = name in deploymentSettings.properties;
    return fault(null, known ? `the key is outside of a table; write [name-of-the-deployment] above the key. ${guide}` : `the value is not a table; a deployment is a table [name] with its settings below. ${guide}`);
  }
  if (!namePattern.test(name)) return fault(null, 'the name is part of URLs; it must be 1 to 32 lower-case letters, digits and hyphens, not starting with a hyphen.');
  if (name === defaultName) return fault(null, 'this name is reserved for the deployment of the environment variables; choose a different name.');
  const before = faults.length;
  const settings = loadEntry(path, name, { ...table } as Record<string, unknown>, faults);
  if (settings === null) return null;
  for (const key of ['chain_rpc_url', 'chain_id', 'contract_address'] as const) {
    if (settings[key] === undefined) fault(key, 'the setting is missing; a deployment needs its own chain_rpc_url, chain_id and contract_address (or a record in deployment, which contains the last two).');
  }
  if (settings.relayer_keys === undefined && settings.relayer_keystores === undefined) fault('relayer_keystores', 'relayer_keystores and relayer_keys are missing; a deployment needs its own relayer keys.');
  // Private keys are refused: files are copied to backups and repositories, environment variables are not.
  if (settings.relayer_keys?.some((key) => !isKeyReference(key)) === true) {
    fault('relayer_keys', 'the setting contains a private key; in this file, relayer_keys must be references such as awskms:alias/NAME. Put the private key into a keystore and name the keystore in relayer_keystores.');
  }
  return faults.length > before ? null : { name, settings };
}

/** Loads a table's settings; relative paths start at the folder of the deployments file. */
function loadEntry(path: string, name: string, table: Record<string, unknown>, faults: ConfigurationFault[]): DeploymentSettings | null {
  const load = (fallbacks: Readonly<Record<string, string>> = {}): DeploymentSettings =>
    atFolder(dirname(resolve(path)), loadConfiguration([deploymentSettings], { environment: {}, file: { path, table }, fallbacks }));
  try {
    const settings = load();
    if (settings.deployment === undefined) return settings;
    return withRecord(load, { path: settings.deployment, setting: settingOf(name, 'deployment'), nameOf: (key) => `${name}.${key}` });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    faults.push(...error.faults.map((each) => ({ ...each, name: each.name.startsWith(`${name}.`) ? each.name : `${name}.${each.name}` })));
    return null;
  }
}

function atFolder(folder: string, settings: DeploymentSettings): DeploymentSettings {
  const { deployment, relayer_keystores: keystores, relayer_password_file: passwordFile } = settings;
  return {
    ...settings,
    ...(deployment === undefined ? {} : { deployment: resolve(folder, deployment) }),
    ...(keystores === undefined ? {} : { relayer_keystores: keystores.map((each) => resolve(folder, each)) }),
    ...(passwordFile === undefined ? {} : { relayer_password_file: resolve(folder, passwordFile) }),
  };
}

/**
 * A deployment's keys as configured. Keystores are compared by absolute path, because the environment variables may use
 * relative paths.
 */
function namesOf({ settings }: Pick<NamedDeployment, 'settings'>, key: 'relayer_keys' | 'relayer_keystores'): string[] {
  const names = settings[key] ?? [];
  return key === 'relayer_keystores' ? names.map((each) => resolve(each)) : [...names];
}

/**
 * Finds contracts and keys used twice on a chain. Two deployments of one contract would execute each message twice; two writers
 * of one key would use each other's nonces.
 */
function findRepeats(path: string, deployments: readonly NamedDeployment[]): ConfigurationFault[] {
  const faults: ConfigurationFault[] = [];
  deployments.forEach(({ name, settings }, place) => {
    for (const earlier of deployments.slice(0, place)) {
      if (settings.chain_id === undefined || settings.chain_id !== earlier.settings.chain_id) continue;
      const which = earlier.name === defaultName ? 'the deployment of the environment variables' : `the deployment ${earlier.name}`;
      if (settings.contract_address?.toLowerCase() === earlier.settings.contract_address?.toLowerCase()) {
        faults.push({ name: `${name}.contract_address`, source: path, detail: `the contract ${settings.contract_address} on chain ${settings.chain_id} is also in ${which}; only one deployment can serve a contract. Remove one of the two.` });
      }
      for (const key of ['relayer_keys', 'relayer_keystores'] as const) {
        const taken = namesOf(earlier, key);
        if (namesOf({ settings }, key).some((each) => taken.includes(each))) {
          faults.push({ name: `${name}.${key}`, source: path, detail: `a key is also used by ${which}, on the same chain ${settings.chain_id}; a key has one nonce sequence per chain, so give each deployment on that chain its own keys.` });
        }
      }
    }
  });
  return faults;
}
