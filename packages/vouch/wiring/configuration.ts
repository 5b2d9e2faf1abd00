import { loadConfiguration, readConfigurationFile, type Settings } from '@vouch/platform/config/loadConfiguration';
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
  return loadConfiguration(settingSchemas, sources) as Configuration;
}
