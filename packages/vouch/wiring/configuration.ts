import type { GatewayConfiguration } from '@vouch/gateway/deployments/namedDeployment';
import { readDeployments } from '@vouch/gateway/deployments/readDeployments';
import { withRecord } from '@vouch/gateway/deployments/recordedSettings';
import { loadConfiguration, readConfigurationFile, type Settings } from '@vouch/platform/config/loadConfiguration';
import { platformSettings } from '@vouch/platform/config/settings';
import { products } from './products.ts';

/** The checked settings of the platform; each product finds its own among them as well. */
export type Configuration = Settings<[typeof platformSettings]> & Readonly<Record<string, unknown>>;

/** Every schema of settings, the platform's first. */
export const settingSchemas = [platformSettings, ...products.map(({ configuration }) => configuration)];

/**
 * Reads the environment and `vouch.toml` of the working directory, and the files that they name.
 * @param overrides variables that stand before the environment
 * @throws ConfigurationError naming every fault
 */
export function readConfiguration(overrides: Readonly<Record<string, string>> = {}): Configuration {
  const file = readConfigurationFile('vouch.toml');
  const sources = { environment: { ...process.env, ...overrides }, ...(file === undefined ? {} : { file }) };
  const load = (fallbacks: Readonly<Record<string, string>> = {}) => loadConfiguration(settingSchemas, { ...sources, fallbacks }) as Configuration & GatewayConfiguration;
  const given = load();
  const configuration = given.deployment === undefined ? given : withRecord(load, { path: given.deployment, setting: 'VOUCH_DEPLOYMENT', nameOf: (key) => `VOUCH_${key.toUpperCase()}` });
  const { gateway_deployments: path } = configuration;
  return path === undefined ? configuration : { ...configuration, deployments: readDeployments(path, configuration) };
}
