import type { Hex } from '@vouch/chain/messages/operation';
import { gatewayErrors } from '../errors.ts';
import type { GatewaySettings } from '../settings.ts';

/** The settings that name a chain, complete. */
export interface ChainSettings {
  urls: readonly string[];
  chainId: bigint;
  contract: Hex;
}

/** Variables without which nothing can be sent; the key may come from either of two. */
const needed = {
  chain_rpc_url: 'VOUCH_CHAIN_RPC_URL', chain_id: 'VOUCH_CHAIN_ID', contract_address: 'VOUCH_CONTRACT_ADDRESS',
} as const;

/** Variables that still have to be set; none where messages are accepted. */
export function missingChainSettings(settings: GatewaySettings): string[] {
  const missing: string[] = (Object.keys(needed) as (keyof typeof needed)[]).filter((key) => settings[key] === undefined).map((key) => needed[key]);
  return holdsRelayerKeys(settings) ? missing : [...missing, 'VOUCH_RELAYER_KEYS (or VOUCH_RELAYER_KEYSTORES)'];
}

/** The chain of the settings; null where it is not wholly named. Reading it needs no key. */
export function readChainSettings(settings: GatewaySettings): ChainSettings | null {
  const { chain_rpc_url: urls, chain_id: chainId, contract_address: contract } = settings;
  if (urls === undefined || chainId === undefined || contract === undefined) return null;
  return { urls, chainId: BigInt(chainId), contract: `0x${contract.slice(2).toLowerCase()}` };
}

/** Whether the process can pay for transactions. */
export function holdsRelayerKeys(settings: GatewaySettings): boolean {
  return settings.relayer_keys !== undefined || settings.relayer_keystores !== undefined;
}

/** What every message is answered where it could never be sent. */
export function chainNotConfigured(settings: GatewaySettings): Error {
  const missing = missingChainSettings(settings);
  return gatewayErrors.problem('chain-not-configured',
    `This gateway has no chain: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set. Its operator sets them, or starts a local chain with vouch serve --devnet.`);
}
