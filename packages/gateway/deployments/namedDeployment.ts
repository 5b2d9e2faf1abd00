import type { DeploymentSettings, GatewaySettings } from '../settings/gatewaySettings.ts';

/** A chain and a contract that the gateway serves, with the keys that pay there. */
export interface NamedDeployment {
  /** `default` for the deployment of the variables, whose paths have no prefix. */
  name: string;
  settings: DeploymentSettings;
}

/** The settings of the gateway, with those of the file of further deployments. */
export type GatewayConfiguration = GatewaySettings & { deployments?: readonly NamedDeployment[] };

/** Name of the deployment that the variables and `vouch.toml` describe. */
export const defaultName = 'default';

/** What stands before the paths of a deployment; the default has none, so that its paths are the documented ones. */
export function prefixOf(name: string): string {
  return name === defaultName ? '' : `/deployments/${name}`;
}

/** How the operator finds a setting of a deployment: the variable, or the key with the name of its table. */
export function settingOf(name: string, key: keyof DeploymentSettings): string {
  return name === defaultName ? `VOUCH_${key.toUpperCase()}` : `${name}.${key}`;
}

/** Every deployment that the gateway serves, that of the variables first, configured or not. */
export function listDeployments(configuration: GatewayConfiguration): NamedDeployment[] {
  return [{ name: defaultName, settings: configuration }, ...(configuration.deployments ?? [])];
}

/** How metrics name a deployment: series of the default are the same with and without further ones. */
export function labelsOf(name: string): { deployment?: string } {
  return name === defaultName ? {} : { deployment: name };
}
