import type { NodeParts } from '../context/nodeParts.ts';

/** The contract takes six hours of block time; some minutes are left for clocks and slow blocks. */
const maxAhead = 21_000;

/**
 * When a message that is signed now expires. On a chain that makes blocks only when there is something in them, the next block
 * is later than the newest: so this machine's clock counts too, but never beyond what the contract takes.
 */
export function expiryOf({ time, doors, configuration }: Pick<NodeParts, 'time' | 'doors' | 'configuration'>): bigint {
  const chainNow = time.now() ?? 0;
  const now = Math.max(chainNow, Math.floor(doors.clock.now() / 1_000));
  return BigInt(Math.min(now + configuration.expirySeconds, chainNow + maxAhead));
}
