import type { DeploymentSettings, GatewaySettings } from '../settings/gatewaySettings.ts';

/** A chain and contract that the gateway serves, with the relayer keys. */
export interface NamedDeployment {
  /** `default` for the deployment of the environment variables, whose paths have no prefix. */
  name: string;
  settings: DeploymentSettings;
}

/** The settings of the gateway and of the deployments file. */
export type GatewayConfiguration = GatewaySettings & { deployments?: readonly NamedDeployment[] };

/** Name of the deployment that the environment variables and `vouch.toml` describe. */
export const defaultName = 'default';

/** Path prefix of a deployment; empty for the default deployment, whose paths are the documented ones. */
export function prefixOf(name: string): string {
  return name === defaultName ? '' : `/deployments/${name}`;
}

/** Name under which operators set a value: the environment variable, or `<table>.<key>` in the deployments file. */
export function settingOf(name: string, key: keyof DeploymentSettings): string {
  return name === defaultName ? `VOUCH_${key.toUpperCase()}` : `${name}.${key}`;
}

/**
 * Lists every deployment, the default one first, whether or not its settings are complete.
 * @example
 * const [first] = listDeployments(configuration); // first.name is 'default'
 */
export function listDeployments(configuration: GatewayConfiguration): NamedDeployment[] {
  return [{ name: defaultName, settings: configuration }, ...(configuration.deployments ?? [])];
}

/** Metric labels of a deployment. The default deployment has no label, so that its series stay the same if deployments are added. */
export function labelsOf(name: string): { deployment?: string } {
  return name === defaultName ? {} : { deployment: name };
}
