import { setTimeout as sleep } from 'node:timers/promises';
import type { VouchPlace } from '../harness/vouchSubjects.ts';

/** Status of a message, as reported by the gateway. */
export interface Told {
  /** Status of the record; `absent` if there is no record, `unanswered` if the gateway starts or is not there. */
  status: string;
  /** Code and message of the reason of a failure; otherwise empty. */
  reason: string;
}

/** @param path path of the record; null if the gateway has not responded to the message */
export async function fetchRecord({ host = '127.0.0.1', port }: VouchPlace, path: string | null): Promise<Told> {
  const answer = await fetch(`http://${host}:${port}${path ?? '/gateway/requests/none'}`).catch(() => null);
  // A gateway that starts, or whose database does, answers 503.
  if (answer === null || answer.status >= 500) return { status: 'unanswered', reason: '' };
  if (answer.status === 404) return { status: 'absent', reason: '' };
  const record = (await answer.json()) as { status: string; reason: { code: string; message: string } | null };
  return { status: record.status, reason: record.reason === null ? '' : `${record.reason.code}: ${record.reason.message}` };
}

/**
 * Reads a record until its message has ended.
 * @param deadline time by `performance.now()`, after which the last answer is returned
 */
export async function awaitEnd(place: VouchPlace, path: string | null, deadline: number): Promise<Told> {
  for (;;) {
    const record = await fetchRecord(place, path);
    if (isEnd(record.status) || performance.now() > deadline) return record;
    await sleep(200);
  }
}

export function isEnd(status: string): boolean {
  return status === 'confirmed' || status === 'failed' || status === 'expired';
}
