import { DeploymentFault } from '@vouch/chain/contracts/deployment/deploymentFault';
import { readDeploymentFacts, type DeploymentFacts } from '@vouch/chain/contracts/deployment/deploymentRecord';
import { ConfigurationError, loadConfiguration, readConfigurationFile, type Settings } from '@vouch/platform/config/loadConfiguration';
import { platformSettings } from '@vouch/platform/config/settings';
import { products } from './products.ts';

/** The checked settings of the platform; each product finds its own among them as well. */
export type Configuration = Settings<[typeof platformSettings]> & Readonly<Record<string, unknown>>;

/** Every schema of settings, the platform's first. */
export const settingSchemas = [platformSettings, ...products.map(({ configuration }) => configuration)];

/**
 * Reads the environment and `vouch.toml` of the working directory.
 * @param overrides variables that stand before the environment
 * @throws ConfigurationError naming every fault
 */
export function readConfiguration(overrides: Readonly<Record<string, string>> = {}): Configuration {
  const file = readConfigurationFile('vouch.toml');
  const sources = { environment: { ...process.env, ...overrides }, ...(file === undefined ? {} : { file }) };
  const configuration = loadConfiguration(settingSchemas, sources) as Configuration;
  const record = configuration['deployment'] as string | undefined;
  return record === undefined ? configuration : withDeployment(sources, record);
}

/** The settings that a deployment's record gives. A setting that contradicts the record is a fault, since it names another deployment. */
function withDeployment(sources: Parameters<typeof loadConfiguration>[1], path: string): Configuration {
  const { domain, service } = readFacts(path);
  const recorded = { chain_id: Number(domain.chainId), contract_address: service, domain_name: domain.name, domain_version: domain.version };
  const fallbacks = Object.fromEntries(Object.entries(recorded).map(([key, value]) => [`VOUCH_${key.toUpperCase()}`, String(value)]));
  const configuration = loadConfiguration(settingSchemas, { ...sources, fallbacks }) as Configuration;
  const faults = Object.entries(recorded).filter(([key, value]) => String(configuration[key]).toLowerCase() !== String(value).toLowerCase()).map(([key, value]) => ({
    name: `VOUCH_${key.toUpperCase()}`, source: 'beside VOUCH_DEPLOYMENT', detail: `it is ${String(configuration[key])}, and the record ${path} says ${value}; leave it out.`,
  }));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return configuration;
}

function readFacts(path: string): DeploymentFacts {
  try {
    return readDeploymentFacts(path);
  } catch (error) {
    if (!(error instanceof DeploymentFault)) throw error;
    throw new ConfigurationError([{ name: 'VOUCH_DEPLOYMENT', source: path, detail: error.message }]);
  }
}
