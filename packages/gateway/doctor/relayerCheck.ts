import type { Hex } from '@vouch/chain/messages/operation';
import type { Finding } from '@vouch/platform/product/product';
import { privateKeyToAddress } from 'viem/accounts';
import { formatEther, getAddress } from 'viem/utils';
import { holdsRelayerKeys } from '../intake/chainSettings.ts';
import type { GatewayParts } from '../intake/gatewayParts.ts';
import { readRelayerKeys } from '../intake/relayerKeys.ts';
import type { GatewaySettings } from '../settings.ts';

/** What there is to say without any. */
export const noRelayer: Finding = {
  status: 'fault', detail: 'no key is configured that could pay', remedy: 'Set VOUCH_RELAYER_KEYSTORES with VOUCH_RELAYER_PASSWORD_FILE, or VOUCH_RELAYER_KEYS.',
};

/** Balance and nonce of each key that pays; only addresses are told. */
export async function checkRelayers({ rpc }: GatewayParts, settings: GatewaySettings, addresses: readonly Hex[]): Promise<Finding[]> {
  return Promise.all(addresses.map((address) => checkRelayer(rpc, getAddress(address), settings.min_balance_eth)));
}

/** Lower case; none where no key is configured. */
export async function readRelayerAddresses(settings: GatewaySettings): Promise<Hex[]> {
  if (!holdsRelayerKeys(settings)) return [];
  return (await readRelayerKeys(settings)).map((key): Hex => `0x${privateKeyToAddress(key).slice(2).toLowerCase()}`);
}

async function checkRelayer(rpc: GatewayParts['rpc'], address: string, leastEth: number): Promise<Finding> {
  const outcomes = await rpc.batch([
    { method: 'eth_getBalance', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'pending'] },
  ]).catch(() => []);
  const [balance, mined, pending] = outcomes.map((outcome) => (outcome.ok && typeof outcome.result === 'string' ? BigInt(outcome.result) : null));
  if (balance === undefined || balance === null || mined === undefined || mined === null) {
    return { status: 'fault', detail: `${address}: the chain cannot be asked for its balance`, remedy: 'Check VOUCH_CHAIN_RPC_URL, and that the endpoint runs.' };
  }
  const waiting = pending === undefined || pending === null ? 0n : pending - mined;
  const detail = `${address} has ${formatEther(balance)} ether, nonce ${mined}${waiting > 0n ? ` and ${waiting} transactions that are not mined yet` : ''}`;
  if (Number(formatEther(balance)) < leastEth) {
    return { status: 'fault', detail, remedy: `Send ether to it: below VOUCH_MIN_BALANCE_ETH (${leastEth}) it sends nothing new.` };
  }
  return { status: 'ok', detail };
}
