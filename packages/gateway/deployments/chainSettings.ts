import type { Domain, Hex } from '@vouch/chain/messages/operation';
import { prefixOf, settingOf, type NamedDeployment } from './namedDeployment.ts';
import { gatewayErrors } from '../errors/gatewayErrors.ts';
import type { DeploymentSettings } from '../settings/gatewaySettings.ts';

/** The settings that name a chain, complete. */
export interface ChainSettings {
  urls: readonly string[];
  chainId: bigint;
  contract: Hex;
  /** What operators sign for. */
  domain: Domain;
}

/** Settings without which nothing can be sent; the key may come from either of two. */
const needed = ['chain_rpc_url', 'chain_id', 'contract_address'] as const;

/** Settings that still have to be set; none where messages are accepted. */
export function missingChainSettings({ name, settings }: NamedDeployment): string[] {
  const missing = needed.filter((key) => settings[key] === undefined).map((key) => settingOf(name, key));
  return holdsRelayerKeys(settings) ? missing : [...missing, `${settingOf(name, 'relayer_keys')} (or ${settingOf(name, 'relayer_keystores')})`];
}

/** The chain of the settings; null where it is not wholly named. Reading it needs no key. */
export function readChainSettings(settings: DeploymentSettings): ChainSettings | null {
  const { chain_rpc_url: urls, chain_id: id, contract_address: contract, domain_name: name, domain_version: version } = settings;
  if (urls === undefined || id === undefined || contract === undefined) return null;
  const chainId = BigInt(id);
  return { urls, chainId, contract: `0x${contract.slice(2).toLowerCase()}`, domain: { name, version, chainId } };
}

/** Whether the process can pay for transactions. */
function holdsRelayerKeys(settings: DeploymentSettings): boolean {
  return settings.relayer_keys !== undefined || settings.relayer_keystores !== undefined;
}

/** What every message is answered where it could never be sent. @param others names of further deployments, which take messages */
export function chainNotConfigured(deployment: NamedDeployment, others: readonly string[] = []): Error {
  const missing = missingChainSettings(deployment);
  const elsewhere = others.length === 0 ? '' : ` Messages for its other deployments go to ${others.map(prefixOf).join(', ')}.`;
  return gatewayErrors.problem('chain-not-configured',
    `This gateway has no chain: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. Its operator sets them, or starts a local chain with vouch serve --devnet.${elsewhere}`);
}
