import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';

/** Time that a message needs to be batched, sent and mined. */
const leastAheadSeconds = 60;

/**
 * Checks that a message leaves enough time for its transaction and does not expire later than the contract allows.
 * @param expiredAt signed expiry, seconds since 1970
 * @param now time of the chain, seconds since 1970
 * @param most maximum time until the expiry, in seconds
 * @throws Problem `message-expired`, `expires-too-soon`, `expires-too-late`
 */
export function checkExpiry(expiredAt: bigint, now: number, most: number): void {
  const ahead = expiredAt - BigInt(now);
  if (ahead < 0n) {
    throw gatewayErrors.problem('message-expired',
      `expired_at is ${expiredAt}, ${describeSeconds(-ahead)} before the time of the chain (${now}). Sign a new message with a later expired_at.`);
  }
  if (ahead < BigInt(leastAheadSeconds)) {
    throw gatewayErrors.problem('expires-too-soon',
      `expired_at is ${expiredAt}, ${ahead} s after the time of the chain (${now}); a message needs at least ${leastAheadSeconds} s to reach a block. Sign a new message with a later expired_at.`);
  }
  if (ahead > BigInt(most)) {
    const [length, longest] = describeApart(ahead, BigInt(most));
    throw gatewayErrors.problem('expires-too-late',
      `expired_at is ${expiredAt}, ${length} after the time of the chain (${now}); the contract allows at most ${longest}. Sign a new message with an earlier expired_at, in seconds since 1970.`);
  }
}

/** Formats two durations so that they differ in print; for example 21601 s and 21600 s, which would both round to 6 h. */
function describeApart(one: bigint, other: bigint): [string, string] {
  const described: [string, string] = [describeSeconds(one), describeSeconds(other)];
  return described[0] === described[1] ? [`${one} s`, `${other} s`] : described;
}
