import { Webhook } from 'standardwebhooks';
import { Problem } from '../errors/problem.ts';
import type { OutboundAnswer, OutboundHttp } from '../outbound/outbound.ts';
import type { SystemInterfaces } from '../process/systemInterfaces.ts';

/** Time limit in ms for one attempt, from the name lookup to the last byte read. */
export const attemptTimeoutMs = 10_000;
/** Bytes of an answer's body that are read and kept. */
const maxAnswerBytes = 1024;

/** The content of one attempt. */
export interface Envelope {
  id: string;
  url: string;
  /** The JSON text that is signed and sent. */
  body: string;
  /** Sent as the header `traceparent`; null for none. */
  traceparent: string | null;
}

/** The result of one attempt. */
export interface Outcome {
  startedAt: number;
  durationMs: number;
  /** HTTP status; null if no answer arrived. */
  answerStatus: number | null;
  /** The first KB of the answer's body. */
  answerBody: string | null;
  /** Reason of the failure; null if the receiver answered 2xx. */
  error: string | null;
}

/**
 * Sends a callback once, by Standard Webhooks 1.0 (https://www.standardwebhooks.com): id, time and body are signed with each secret. Redirects are
 * not followed. Never throws: failures are outcomes.
 */
export async function deliver(
  envelope: Envelope, secrets: readonly string[], outbound: OutboundHttp, system: SystemInterfaces,
): Promise<Outcome> {
  const startedAt = system.clock.now();
  const began = system.elapsedMs();
  const stop = new AbortController();
  const finished = new AbortController();
  void system.timers.sleep(attemptTimeoutMs, finished.signal).then(() => stop.abort(new Error('the time limit of the attempt has passed')));
  const outcome = await attempt(envelope, secrets, outbound, startedAt, stop.signal).catch((error: unknown) => ({
    answerStatus: null, answerBody: null, error: stop.signal.aborted ? lateSentence : sentenceOf(error),
  }));
  finished.abort();
  return { startedAt, durationMs: Math.round(system.elapsedMs() - began), ...outcome };
}

const lateSentence = `the receiver did not answer within ${attemptTimeoutMs / 1000} s`;

async function attempt(
  { id, url, body, traceparent }: Envelope, secrets: readonly string[], outbound: OutboundHttp, now: number, signal: AbortSignal,
): Promise<Pick<Outcome, 'answerStatus' | 'answerBody' | 'error'>> {
  const time = new Date(now);
  const answer = await outbound.request({
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'vouch-webhooks',
      ...(traceparent === null ? {} : { traceparent }),
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
  if (status >= 300 && status < 400) return `the receiver answered ${status}, a redirect, which Vouch does not follow`;
  return `the receiver answered ${status}; only 2xx counts as delivered`;
}

/** Reads the first KB of the body. An endless, slow or broken body does not change the attempt's status. */
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
    // The data that arrived before the failure is kept.
  }
  answer.body.destroy();
  // PostgreSQL's text type cannot represent NUL.
  return Buffer.concat(parts).subarray(0, maxAnswerBytes).toString('utf8').replaceAll('\0', '');
}

function sentenceOf(error: unknown): string {
  if (error instanceof Problem) return error.detail;
  return error instanceof Error ? error.message : 'the request failed';
}
