import type { LiveBatch } from './liveBatch.ts';

/** Maximum number of fillers: geth nodes guarantee 16 pending transactions per account (`accountslots`). */
const maxFillers = 16;

/** The lowest nonce that neither the chain nor a live batch uses. */
export function nextNonce(chainNonce: number, batches: readonly LiveBatch[]): number {
  const taken = new Set(batches.map(({ nonce }) => nonce));
  let nonce = chainNonce;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/**
 * Unused nonces below a pending batch, which block that batch. The cause is a reset chain, or rows that an earlier use of the
 * key left.
 */
export function gapNonces(chainNonce: number, batches: readonly LiveBatch[]): number[] {
  const waiting = batches.filter(({ state }) => state !== 'mined').map(({ nonce }) => nonce);
  const taken = new Set(batches.map(({ nonce }) => nonce));
  const highest = Math.max(-1, ...waiting);
  const gaps: number[] = [];
  for (let nonce = chainNonce; nonce < highest && gaps.length < maxFillers; nonce += 1) if (!taken.has(nonce)) gaps.push(nonce);
  return gaps;
}
