import type { Domain, Hex } from '@vouch/chain/messages/operation';
import { prefixOf, settingOf, type NamedDeployment } from './namedDeployment.ts';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import type { DeploymentSettings } from '../settings/gatewaySettings.ts';

/** The complete settings of a chain and contract. */
export interface ChainSettings {
  urls: readonly string[];
  chainId: bigint;
  contract: Hex;
  /** EIP-712 domain that operators sign for. */
  domain: Domain;
}

/** Settings without which nothing can be sent; a relayer key is also required, from either of two settings. */
const needed = ['chain_rpc_url', 'chain_id', 'contract_address'] as const;

/** Names of the missing settings; empty if messages are accepted. */
export function missingChainSettings({ name, settings }: NamedDeployment): string[] {
  const missing = needed.filter((key) => settings[key] === undefined).map((key) => settingOf(name, key));
  return holdsRelayerKeys(settings) ? missing : [...missing, `${settingOf(name, 'relayer_keys')} (or ${settingOf(name, 'relayer_keystores')})`];
}

/** Returns the chain of the settings; null if a required setting is missing. No relayer key is needed. */
export function selectChainSettings(settings: DeploymentSettings): ChainSettings | null {
  const { chain_rpc_url: urls, chain_id: id, contract_address: contract, domain_name: name, domain_version: version } = settings;
  if (urls === undefined || id === undefined || contract === undefined) return null;
  const chainId = BigInt(id);
  return { urls, chainId, contract: `0x${contract.slice(2).toLowerCase()}`, domain: { name, version, chainId } };
}

/** Whether the settings name relayer keys. */
function holdsRelayerKeys(settings: DeploymentSettings): boolean {
  return settings.relayer_keys !== undefined || settings.relayer_keystores !== undefined;
}

/**
 * Builds the answer to messages of a deployment without a complete configuration.
 * @param others names of further deployments, which accept messages
 */
export function chainNotConfigured(deployment: NamedDeployment, others: readonly string[] = []): Error {
  const missing = missingChainSettings(deployment);
  const elsewhere = others.length === 0 ? '' : ` Messages for its other deployments go to ${others.map(prefixOf).join(', ')}.`;
  return gatewayErrors.problem('chain-not-configured',
    `This gateway has no chain: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. The operator of the gateway must set ${missing.length === 1 ? 'this setting' : 'these settings'}, or start a local chain with vouch serve --devnet.${elsewhere}`);
}
