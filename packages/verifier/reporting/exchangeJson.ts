import type { Connect } from '@vouch/chain/rpc/endpoint';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { exchange, type Exchange } from './exchange.ts';

/** An answer with its JSON body. */
export interface JsonAnswer {
  status: number;
  /** Undefined when the body is not JSON. */
  body: unknown;
  /** Seconds of the Retry-After header; null when the header is missing or not a number. */
  retryAfterSeconds: number | null;
  /** The server's clock from the Date header, in milliseconds since 1970; null without the header. */
  date: number | null;
}

/** A request; a body is sent as JSON. */
type JsonExchange = Omit<Exchange, 'body' | 'maxAnswerBytes'> & { body?: unknown };

const maxAnswerBytes = 64 * 1024;

/**
 * As exchange, with JSON.
 * @throws ExchangeFault; the reason of `signal`
 */
export async function exchangeJson({ headers = {}, body, ...request }: JsonExchange, timers: Timers, connect?: Connect): Promise<JsonAnswer> {
  const written = body === undefined ? null : JSON.stringify(body);
  const answer = await exchange({
    ...request, maxAnswerBytes,
    headers: { accept: 'application/json', ...(written === null ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(written === null ? {} : { body: written }),
  }, timers, connect);
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
