import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readDeploymentFacts, type DeploymentFacts } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { ConfigurationError } from '@vouch/platform/config/loadConfiguration';

/** Where the record of a deployment is named. */
export interface RecordSource {
  /** The record that `vouch contracts deploy` wrote. */
  path: string;
  /** Variable or key that names it. */
  setting: string;
  /** How a setting beside it is written, from its key. */
  nameOf(key: string): string;
}

/**
 * Settings with what a record gives: chain, contract and signing domain.
 * @param load reads the settings, with these values by variable where nothing else is set
 * @throws ConfigurationError where the record cannot be used, or a setting names another deployment than the record
 */
export function withRecord<Loaded extends Readonly<Record<string, unknown>>>(
  load: (fallbacks: Readonly<Record<string, string>>) => Loaded, { path, setting, nameOf }: RecordSource,
): Loaded {
  const { domain, service } = readFacts(path, setting);
  const recorded = { chain_id: Number(domain.chainId), contract_address: service, domain_name: domain.name, domain_version: domain.version };
  const loaded = load(Object.fromEntries(Object.entries(recorded).map(([key, value]) => [`VOUCH_${key.toUpperCase()}`, String(value)])));
  const faults = Object.entries(recorded).filter(([key, value]) => String(loaded[key]).toLowerCase() !== String(value).toLowerCase()).map(([key, value]) => ({
    name: nameOf(key), source: `beside ${setting}`, detail: `it is ${String(loaded[key])}, and the record ${path} says ${value}; leave it out.`,
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
