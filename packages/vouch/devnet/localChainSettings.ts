import type { DevnetFacts } from '@vouch/chain/devnet/devnetFile';
import type { Configuration } from '../wiring/configuration.ts';

/** Variables that connect the gateway to the local chain. They take precedence over the environment. */
export function localChainSettings({ rpcUrl, chainId, contracts, relayer, domain }: DevnetFacts): Record<string, string> {
  return {
    VOUCH_CHAIN_RPC_URL: rpcUrl,
    VOUCH_CHAIN_ID: String(chainId),
    VOUCH_CONTRACT_ADDRESS: contracts.service,
    VOUCH_MULTICALL_ADDRESS: contracts.multicall3,
    VOUCH_RELAYER_KEYS: relayer.privateKey,
    VOUCH_RELAYER_KEYSTORES: '',
    VOUCH_DOMAIN_NAME: domain.name,
    VOUCH_DOMAIN_VERSION: domain.version,
    // One confirmation is enough, because a confirmed block of the local chain survives a crash.
    ...unlessSet({ VOUCH_CONFIRMATIONS: '1' }),
  };
}

/** Whether the settings name a chain, even incompletely. In this case no local chain is started. */
export function hasChain(configuration: Configuration): boolean {
  return configuration['chain_rpc_url'] !== undefined || configuration['contract_address'] !== undefined;
}

function unlessSet(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => (process.env[name] ?? '') === ''));
}
