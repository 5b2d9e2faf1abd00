import { createHash } from 'node:crypto';
import type { Hex } from '@vouch/chain/messages/operation';
import type { SharedNonce } from '../chain/chainFaults.ts';
import type { SimulatedChain } from '../chain/simulatedChain.ts';

const gwei = 1_000_000_000n;
/** Receiver of the transactions of the other program. */
const receiver: Hex = `0x${'99'.repeat(20)}`;

/** Another program sends an empty transaction with the key of a relayer, through an endpoint that the gateway does not use. */
export function sendWithSharedKey(chain: SimulatedChain, from: Hex, relayer: number, which: SharedNonce, feeGwei: number): void {
  const next = chain.head.nonces.get(from) ?? 0;
  const pending = chain.pendingNonce(from, chain.head);
  const nonce = { next, 'after pending': pending, 'with a gap': pending + 1 }[which];
  const hash: Hex = `0x${createHash('sha256').update(`relayer ${relayer} ${nonce} ${feeGwei} ${chain.head.hash}`).digest('hex')}`;
  chain.send({ hash, from, to: receiver, nonce, data: '0x', gasLimit: 21_000, maxFeeWei: BigInt(feeGwei) * gwei, priorityFeeWei: BigInt(Math.ceil(feeGwei / 10)) * gwei });
}
