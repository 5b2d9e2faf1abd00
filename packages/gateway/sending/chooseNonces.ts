import type { LiveBatch } from './liveBatch.ts';

/** As many as a node keeps for one account without counting on its goodwill (geth's `accountslots` is 16). */
const maxFillers = 16;

/** The lowest nonce that neither the chain nor a batch that may land has used. */
export function nextNonce(chainNonce: number, batches: readonly LiveBatch[]): number {
  const taken = new Set(batches.map(({ nonce }) => nonce));
  let nonce = chainNonce;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/**
 * Nonces below a waiting batch that nothing uses: nothing above them can land until something does. They come from a chain
 * that was set back, or from rows of another life of the key.
 */
export function gapNonces(chainNonce: number, batches: readonly LiveBatch[]): number[] {
  const waiting = batches.filter(({ state }) => state !== 'mined').map(({ nonce }) => nonce);
  const taken = new Set(batches.map(({ nonce }) => nonce));
  const highest = Math.max(-1, ...waiting);
  const gaps: number[] = [];
  for (let nonce = chainNonce; nonce < highest && gaps.length < maxFillers; nonce += 1) if (!taken.has(nonce)) gaps.push(nonce);
  return gaps;
}
