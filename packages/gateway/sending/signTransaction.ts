import type { Hex } from '@vouch/chain/messages/operation';
import { keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Payload } from '../batching/arrangeCalls.ts';
import type { Fees } from './fees.ts';

/** Signs for one key. The key itself is in no field, so that no log and no error can show it. */
export interface Signer {
  address: Hex;
  sign(transaction: { nonce: number; payload: Payload; gasLimit: bigint; fees: Fees }): Promise<{ hash: Hex; raw: Hex }>;
}

/** @throws where the key is none */
export function createSigner(privateKey: Hex, chainId: bigint): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: `0x${account.address.slice(2).toLowerCase()}`,
    async sign({ nonce, payload, gasLimit, fees }) {
      const raw = await account.signTransaction({
        type: 'eip1559', chainId: Number(chainId), nonce, to: payload.to, data: payload.calldata, value: 0n, gas: gasLimit,
        maxFeePerGas: fees.maxFeeWei, maxPriorityFeePerGas: fees.priorityFeeWei,
      });
      return { hash: keccak256(raw), raw };
    },
  };
}
