import type { NodeParts } from '../context/nodeParts.ts';

/** The contract accepts expiries up to six hours of block time ahead, in seconds; ten minutes of them are a margin for clocks and slow blocks. */
const maxAhead = 21_000;

/**
 * When a message that is signed now expires, in seconds since 1970. On a chain that makes blocks only for transactions, the next
 * block is later than the newest; so this machine's clock counts too, within what the contract accepts.
 */
export function expiryOf({ time, doors, configuration }: Pick<NodeParts, 'time' | 'doors' | 'configuration'>): bigint {
  const chainNow = time.now() ?? 0;
  const now = Math.max(chainNow, Math.floor(doors.clock.now() / 1_000));
  return BigInt(Math.min(now + configuration.expirySeconds, chainNow + maxAhead));
}
