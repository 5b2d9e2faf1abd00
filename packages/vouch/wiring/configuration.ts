import type { GatewayConfiguration } from '@vouch/gateway/deployments/namedDeployment';
import { readDeployments } from '@vouch/gateway/deployments/readDeployments';
import { withRecord } from '@vouch/gateway/deployments/recordedSettings';
import { loadConfiguration, readConfigurationFile, type Settings } from '@vouch/platform/config/loadConfiguration';
import { platformSettings } from '@vouch/platform/config/settings';
import { products } from './products.ts';

/** The checked settings of the platform, together with the settings of each product. */
export type Configuration = Settings<[typeof platformSettings]> & Readonly<Record<string, unknown>>;

/** The schemas of all settings, beginning with the platform. */
export const settingSchemas = [platformSettings, ...products.map(({ configuration }) => configuration)];

/**
 * Reads the environment, `vouch.toml` in the working directory, and the files that these two name.
 * @param overrides variables that take precedence over the environment
 * @throws ConfigurationError that lists every fault
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
