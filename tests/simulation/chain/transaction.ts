import { keccak256, parseTransaction, serializeTransaction } from 'viem';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Recovery } from '@vouch/chain/messages/recovery';

/** A signed transaction as a node reads it. */
export interface Transaction {
  hash: Hex;
  from: Hex;
  to: Hex;
  nonce: number;
  data: Hex;
  gasLimit: number;
  maxFeeWei: bigint;
  priorityFeeWei: bigint;
}

/** Reads the bytes of a transaction. @throws Error if they are not an EIP-1559 transaction with a valid signature */
export function readTransaction(raw: Hex, recovery: Recovery): Transaction {
  const { r, s, yParity, v: _, ...unsigned } = parseTransaction(raw as `0x02${string}`);
  const digest = keccak256(serializeTransaction(unsigned), 'bytes');
  const from = recovery.recover(digest, { r: padded(r!), s: padded(s!), v: yParity === 0 ? 27 : 28 });
  if (from === null || unsigned.to === undefined || unsigned.to === null) throw new Error('invalid sender');
  return {
    hash: keccak256(raw), from, to: unsigned.to.toLowerCase() as Hex, nonce: unsigned.nonce ?? 0, data: unsigned.data ?? '0x', gasLimit: Number(unsigned.gas ?? 0n),
    maxFeeWei: unsigned.maxFeePerGas ?? 0n, priorityFeeWei: unsigned.maxPriorityFeePerGas ?? 0n,
  };
}

function padded(hex: Hex): Hex {
  return `0x${hex.slice(2).padStart(64, '0')}`;
}
