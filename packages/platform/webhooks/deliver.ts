import { Webhook } from 'standardwebhooks';
import { Problem } from '../errors/problem.ts';
import type { OutboundAnswer, OutboundHttp } from '../outbound/outbound.ts';
import type { SystemInterfaces } from '../process/doors.ts';

/** Time for one attempt from name lookup to the last byte that is read. */
export const attemptTimeoutMs = 10_000;
/** Of an answer no more is read or kept. */
const maxAnswerBytes = 1024;

/** What is sent in an attempt. */
export interface Envelope {
  id: string;
  url: string;
  /** The JSON text. */
  body: string;
}

/** How one attempt went. */
export interface Outcome {
  startedAt: number;
  durationMs: number;
  /** HTTP status, null where no answer came. */
  answerStatus: number | null;
  /** Beginning of the answer's body. */
  answerBody: string | null;
  /** Null where the receiver answered 2xx. */
  error: string | null;
}

/**
 * Sends a callback once, by Standard Webhooks 1.0 (https://www.standardwebhooks.com): signed over id, time and body with
 * each secret. Never throws: whatever the receiver does is an outcome. Redirects are not followed.
 */
export async function deliver(
  envelope: Envelope, secrets: readonly string[], outbound: OutboundHttp, doors: SystemInterfaces,
): Promise<Outcome> {
  const startedAt = doors.clock.now();
  const stop = new AbortController();
  const finished = new AbortController();
  void doors.timers.sleep(attemptTimeoutMs, finished.signal).then(() => stop.abort(new Error('the time of the attempt is over')));
  const outcome = await attempt(envelope, secrets, outbound, startedAt, stop.signal).catch((error: unknown) => ({
    answerStatus: null, answerBody: null, error: stop.signal.aborted ? lateSentence : sentenceOf(error),
  }));
  finished.abort();
  return { startedAt, durationMs: Math.max(0, Math.round(doors.clock.now() - startedAt)), ...outcome };
}

const lateSentence = `the receiver did not answer within ${attemptTimeoutMs / 1000} s`;

async function attempt(
  { id, url, body }: Envelope, secrets: readonly string[], outbound: OutboundHttp, now: number, signal: AbortSignal,
): Promise<Pick<Outcome, 'answerStatus' | 'answerBody' | 'error'>> {
  const time = new Date(now);
  const answer = await outbound.request({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'vouch-webhooks',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1000)),
      'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, time, body)).join(' '),
    },
    body,
    signal,
    headersTimeoutMs: attemptTimeoutMs,
    bodyTimeoutMs: attemptTimeoutMs,
    maxRedirects: 0,
  });
  return { answerStatus: answer.status, answerBody: await readBeginning(answer), error: judgeStatus(answer.status) };
}

function judgeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `the receiver answered ${status}, a redirect, which is not followed`;
  return `the receiver answered ${status}; only 2xx counts as received`;
}

/** The first KB of the body; an answer that is endless, slow or broken off changes nothing about its status. */
async function readBeginning(answer: OutboundAnswer): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of answer.body) {
      parts.push(Buffer.from(part as Uint8Array));
      bytes += parts.at(-1)?.length ?? 0;
      if (bytes >= maxAnswerBytes) break;
    }
  } catch {
    // What came before the failure is kept.
  }
  answer.body.destroy();
  // PostgreSQL's text holds no NUL.
  return Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8').replaceAll('\0', '');
}

function sentenceOf(error: unknown): string {
  if (error instanceof Problem) return error.detail;
  return error instanceof Error ? error.message : 'the request failed';
}
