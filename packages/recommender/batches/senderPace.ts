import type { IncomingMessage } from 'node:http';
import { platformErrors } from '@vouch/platform/errors/platformErrors';
import type { Problem } from '@vouch/platform/errors/problem';
import { ThroughputGuard } from '@vouch/platform/http/throughputGuard';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';

/**
 * The slowest permitted sender while another upload waits for its place: a quarter of the slowest permitted download, because
 * uplinks are slower.
 */
const slowestSender = { bytesPerSecond: 4_096, windowMs: 10_000 };
const lookEveryMs = 1_000;

/**
 * Watches a sender until its body has arrived or the signal is aborted. A sender may be arbitrarily slow while no other
 * upload waits for its place. While another upload waits, the sender must reach a minimum pace, because one byte every two
 * seconds would prevent every other timeout. Time in which the server does not read does not count.
 * @param isWanted whether another upload waits for the place of this sender
 * @returns the problem `request-timeout` if the sender is too slow, otherwise null
 */
export async function watchPace(
  request: Pick<IncomingMessage, 'complete' | 'isPaused' | 'readableLength'> & { socket: { bytesRead: number } },
  isWanted: () => boolean, system: Pick<SystemInterfaces, 'elapsedMs' | 'timers'>, signal: AbortSignal,
): Promise<Problem | null> {
  let waitedMs = 0;
  const newGuard = (): ThroughputGuard => new ThroughputGuard(slowestSender, { elapsedMs: () => waitedMs });
  let guard = newGuard();
  let seen = request.socket.bytesRead;
  let lookedMs = system.elapsedMs();
  for (;;) {
    await system.timers.sleep(lookEveryMs, signal, false);
    if (signal.aborted || request.complete) return null;
    const passedMs = system.elapsedMs() - lookedMs;
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
    `${bytes} bytes of the form arrived in ${Math.round(waitedMs / 1000)} s; while other uploads wait, a form must arrive with at least ${slowestSender.bytesPerSecond} bytes per second. ` +
    'Nothing was stored. Send the upload again: over a faster connection, compressed with gzip, or when fewer uploads wait.',
  );
}
