import type { Hex } from '@vouch/chain/messages/operation';
import type { Signer } from '@vouch/chain/signers/signer';
import { SignerFault } from '@vouch/chain/signers/signerFault';
import type { Finding } from '@vouch/platform/product/findings';
import { formatEther, getAddress } from 'viem/utils';
import { settingOf } from '../deployments/namedDeployment.ts';
import type { GatewayParts } from '../parts/gatewayParts.ts';
import type { RelayerKey } from '../sending/relayerKeys.ts';
import { gatewayFindings } from './gatewayFindings.ts';

/** The finding for a deployment without relayer keys. */
export function describeNoRelayer(name: string): Finding {
  return gatewayFindings.found(
    'relayer-missing', 'no relayer key is configured',
    `Set ${settingOf(name, 'relayer_keystores')} with ${settingOf(name, 'relayer_password_file')}, or ${settingOf(name, 'relayer_keys')}.`,
  );
}

/** A configured key, opened or with the reason why it could not be opened. */
export type OpenedKey = { name: string; signer: Signer } | { name: string; fault: string };

/** Text that a check signs; cannot be mistaken for a transaction or typed data, which start with other bytes. */
const checkText = 'vouch doctor: this signature is a check and authorizes nothing.';

/** Opens every key; a key that cannot be opened does not affect the others. */
export async function openRelayers(keys: readonly RelayerKey[]): Promise<OpenedKey[]> {
  return Promise.all(keys.map(async ({ name, open }) => {
    try {
      return { name, signer: await open() };
    } catch (error) {
      return { name, fault: (error as Error).message };
    }
  }));
}

/** Ethereum addresses of the opened keys, in lower case. */
export function addressesOf(opened: readonly OpenedKey[]): Hex[] {
  return opened.flatMap((key) => ('signer' in key ? [key.signer.address] : []));
}

/** Checks of each key whether it signs, and reports balance and nonce; findings contain Ethereum addresses, never keys. */
export async function checkRelayers(parts: GatewayParts, leastEth: number, opened: readonly OpenedKey[]): Promise<Finding[]> {
  return Promise.all(opened.map(async (key) => {
    if ('fault' in key) return unusable(key.name, key.fault);
    const fault = await trySigning(key.signer);
    return fault === null ? checkBalance(parts, key.signer, leastEth) : unusable(`${getAddress(key.signer.address)} (${key.name})`, fault);
  }));
}

function unusable(which: string, fault: string): Finding {
  return gatewayFindings.found('relayer-unusable', fault.startsWith(which) ? fault : `${which} cannot sign: ${fault}`);
}

async function trySigning(signer: Signer): Promise<string | null> {
  try {
    await signer.signText(checkText);
    return null;
  } catch (error) {
    if (error instanceof SignerFault) return error.message;
    throw error;
  }
}

async function checkBalance({ name: deployment, rpc }: GatewayParts, { address: lower, name }: Signer, leastEth: number): Promise<Finding> {
  const address = getAddress(lower);
  const outcomes = await rpc.batch([
    { method: 'eth_getBalance', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'latest'] },
    { method: 'eth_getTransactionCount', params: [address, 'pending'] },
  ]).catch(() => []);
  const [balance, mined, pending] = outcomes.map((outcome) => (outcome.ok && typeof outcome.result === 'string' ? BigInt(outcome.result) : null));
  if (balance === undefined || balance === null || mined === undefined || mined === null) {
    return gatewayFindings.found('chain-unreadable', `${address}: the balance could not be read from the chain`, `Check ${settingOf(deployment, 'chain_rpc_url')}, and that the RPC endpoint runs.`);
  }
  const waiting = pending === undefined || pending === null ? 0n : pending - mined;
  const detail = `${address} signs (${name}), has ${formatEther(balance)} ether, nonce ${mined}${waiting > 0n ? ` and ${waiting} transactions that are not yet mined` : ''}`;
  if (Number(formatEther(balance)) < leastEth) {
    return gatewayFindings.found('balance-low', detail, `Send ether to this account: below ${settingOf(deployment, 'min_balance_eth')} (${leastEth}), the key sends no new transactions.`);
  }
  return { status: 'ok', detail };
}
