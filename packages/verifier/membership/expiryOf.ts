import type { NodeParts } from '../context/nodeParts.ts';

/** Maximum lifetime of a message in seconds: the contract's six hours minus ten minutes, a margin for clocks and slow blocks. */
const maxAhead = 21_000;

/**
 * Returns the expiry of a message signed now, in seconds since 1970. On a chain that mines only with transactions, the newest block can be
 * old, so the expiry counts from this machine's clock if that is later, limited to what the contract accepts.
 */
export function expiryOf({ time, system, configuration }: Pick<NodeParts, 'time' | 'system' | 'configuration'>): bigint {
  const chainNow = time.now() ?? 0;
  const now = Math.max(chainNow, Math.floor(system.clock.now() / 1_000));
  return BigInt(Math.min(now + configuration.expirySeconds, chainNow + maxAhead));
}
