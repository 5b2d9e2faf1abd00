import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readDeploymentFacts, type DeploymentFacts } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { ConfigurationError } from '@vouch/platform/config/loadConfiguration';

/** A deployment record and the setting that names its file. */
export interface RecordSource {
  /** Path of the record that `vouch contracts deploy` wrote. */
  path: string;
  /** Environment variable or key that names the record. */
  setting: string;
  /** Returns the full name of another setting of the same deployment, from its key. */
  nameOf(key: string): string;
}

/**
 * Fills in chain, contract and signing domain from a deployment record.
 * @param load reads the settings; uses the given values, by variable name, for settings that are not set
 * @throws ConfigurationError if the record is unusable, or if a setting contradicts the record
 * @example
 * const nameOf = (key: string) => `VOUCH_${key.toUpperCase()}`;
 * const settings = withRecord(load, { path: 'deployment.json', setting: 'VOUCH_DEPLOYMENT', nameOf });
 */
export function withRecord<Loaded extends Readonly<Record<string, unknown>>>(
  load: (fallbacks: Readonly<Record<string, string>>) => Loaded, { path, setting, nameOf }: RecordSource,
): Loaded {
  const { domain, service } = readFacts(path, setting);
  const recorded = { chain_id: Number(domain.chainId), contract_address: service, domain_name: domain.name, domain_version: domain.version };
  const loaded = load(Object.fromEntries(Object.entries(recorded).map(([key, value]) => [`VOUCH_${key.toUpperCase()}`, String(value)])));
  const faults = Object.entries(recorded).filter(([key, value]) => String(loaded[key]).toLowerCase() !== String(value).toLowerCase()).map(([key, value]) => ({
    name: nameOf(key), source: `beside ${setting}`, detail: `the value is ${String(loaded[key])}, but the record ${path} contains ${value}; remove the setting.`,
  }));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return loaded;
}

function readFacts(path: string, setting: string): DeploymentFacts {
  try {
    return readDeploymentFacts(path);
  } catch (error) {
    if (!(error instanceof DeploymentFault)) throw error;
    throw new ConfigurationError([{ name: setting, source: path, detail: error.message }]);
  }
}
