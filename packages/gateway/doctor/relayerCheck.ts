import type { Finding } from '@vouch/platform/product/product';
import { privateKeyToAddress } from 'viem/accounts';
import { formatEther } from 'viem/utils';
import type { GatewayParts } from '../intake/gatewayParts.ts';
import { readRelayerKeys } from '../intake/relayerKeys.ts';
import type { GatewaySettings } from '../settings.ts';

/** What there is to say without any. */
export const noRelayer: Finding = {
  status: 'fault', detail: 'no key is configured that could pay', remedy: 'Set VOUCH_RELAYER_KEYSTORES with VOUCH_RELAYER_PASSWORD_FILE, or VOUCH_RELAYER_KEYS.',
};

/** Balance and nonce of each key that pays; only addresses are told. */
export async function checkRelayers({ rpc }: GatewayParts, settings: GatewaySettings): Promise<Finding[]> {
  const keys = await readRelayerKeys(settings);
  return Promise.all(keys.map((key) => checkRelayer(rpc, privateKeyToAddress(key), settings.min_balance_eth)));
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
