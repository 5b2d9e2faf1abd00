import { platformErrors } from '@vouch/platform/errors/platformErrors';
import { ThroughputGuard } from '@vouch/platform/http/throughputGuard';
import type { Clock } from '@vouch/platform/process/doors';

/** Over any half minute of waiting, the slowest sender that keeps a place: a quarter of the slowest download, as lines are slower upwards. */
const slowestSender = { bytesPerSecond: 4_096, windowMs: 30_000 };

/**
 * Hands on what a sender sends, as long as it comes fast enough for the place that it holds: a byte every two seconds keeps
 * every timeout from firing. Only the time in which the sender is waited for counts, none in which we are the slow side.
 * @throws Problem `request-timeout`; what `content` throws
 */
export async function* atLeastPace(content: AsyncIterable<Uint8Array>, fileName: string, clock: Clock): AsyncGenerator<Uint8Array> {
  let waitedMs = 0;
  const throughput = new ThroughputGuard(slowestSender, { now: () => waitedMs });
  let asked = clock.now();
  for await (const chunk of content) {
    waitedMs += clock.now() - asked;
    const slow = throughput.add(chunk.length);
    if (slow !== null) throw tooSlow(fileName, slow.bytes, slow.milliseconds);
    yield chunk;
    asked = clock.now();
  }
}

function tooSlow(fileName: string, bytes: number, waitedMs: number): Error {
  return platformErrors.problem(
    'request-timeout',
    `${bytes} bytes of the file ${fileName} came in ${Math.round(waitedMs / 1000)} s; a file that comes with less than ${slowestSender.bytesPerSecond} bytes a second keeps others from being read. ` +
    'Nothing was stored. Send it over a faster line, or as gzip.',
  );
}
