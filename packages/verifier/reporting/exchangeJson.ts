import type { Timers } from '@vouch/platform/process/doors';
import { exchange, type Exchange } from './exchange.ts';

/** What came back. */
export interface JsonAnswer {
  status: number;
  /** Undefined where it is not JSON. */
  body: unknown;
  /** Seconds of a Retry-After; null without one that is a number. */
  retryAfterSeconds: number | null;
  /** The other side's clock, milliseconds since 1970; null where it does not tell. */
  date: number | null;
}

/** Sent as JSON where there is a body. */
type JsonExchange = Omit<Exchange, 'body' | 'maxAnswerBytes'> & { body?: unknown };

const maxAnswerBytes = 64 * 1024;

/**
 * As exchange, with JSON.
 * @throws ExchangeFault; the reason of `signal`
 */
export async function exchangeJson({ headers = {}, body, ...request }: JsonExchange, timers: Timers): Promise<JsonAnswer> {
  const written = body === undefined ? null : JSON.stringify(body);
  const answer = await exchange({
    ...request, maxAnswerBytes,
    headers: { accept: 'application/json', ...(written === null ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(written === null ? {} : { body: written }),
  }, timers);
  return {
    status: answer.status, body: parse(answer.body.toString('utf8')), retryAfterSeconds: seconds(answer.headers['retry-after']), date: milliseconds(answer.headers['date']),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function seconds(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}

function milliseconds(header: string | undefined): number | null {
  const time = Date.parse(header ?? '');
  return Number.isNaN(time) ? null : time;
}
