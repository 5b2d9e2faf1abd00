import type { IncomingMessage } from 'node:http';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import { ThroughputGuard } from '@vouch/platform/http/throughputGuard';
import type { SystemInterfaces } from '@vouch/platform/process/doors';

/** The slowest sender that keeps a place for which somebody else waits: a quarter of the slowest download, as lines are slower upwards. */
const slowestSender = { bytesPerSecond: 4_096, windowMs: 10_000 };
const lookEveryMs = 1_000;

/**
 * Watches a sender until its body is there or the signal aborts. Where nobody waits for its place a sender may be as slow as it
 * likes. Where somebody does, it must send: a byte every two seconds keeps every timeout from firing. Only the time in which the
 * sender is waited for counts, none in which we are the slow side.
 * @param isWanted whether somebody waits for the place of this sender
 * @returns the problem `request-timeout` of a sender that is too slow; null where it was not
 */
export async function watchPace(
  request: Pick<IncomingMessage, 'complete' | 'isPaused' | 'readableLength'> & { socket: { bytesRead: number } },
  isWanted: () => boolean, doors: Pick<SystemInterfaces, 'clock' | 'timers'>, signal: AbortSignal,
): Promise<Problem | null> {
  let waitedMs = 0;
  const newGuard = (): ThroughputGuard => new ThroughputGuard(slowestSender, { now: () => waitedMs });
  let guard = newGuard();
  let seen = request.socket.bytesRead;
  let lookedMs = doors.clock.now();
  for (;;) {
    await doors.timers.sleep(lookEveryMs, signal, false);
    if (signal.aborted || request.complete) return null;
    const passedMs = doors.clock.now() - lookedMs;
    const bytes = request.socket.bytesRead - seen;
    lookedMs += passedMs;
    seen += bytes;
    if (!isWanted()) {
      guard = newGuard();
      continue;
    }
    if (request.isPaused() || request.readableLength > 0) continue;
    waitedMs += passedMs;
    const slow = guard.add(bytes);
    if (slow !== null) return tooSlow(slow.bytes, slow.milliseconds);
  }
}

function tooSlow(bytes: number, waitedMs: number): Problem {
  return platformErrors.problem(
    'request-timeout',
    `${bytes} bytes of the form came in ${Math.round(waitedMs / 1000)} s while other uploads waited; then a form must come with ${slowestSender.bytesPerSecond} bytes a second at least. ` +
    'Nothing was stored. Send it over a faster line, or as gzip, or when fewer others are sent.',
  );
}
