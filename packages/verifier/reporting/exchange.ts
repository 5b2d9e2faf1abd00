import type { Connect } from '@vouch/chain/rpc/endpoint';
import { collectBody } from '@vouch/platform/outbound/collectBody';
import { openConnections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { Timers } from '@vouch/platform/process/systemInterfaces';
import { withinTime } from '@vouch/platform/process/withinTime';

/** The server gave no readable answer. The message is a sentence that names only the host. */
export class ExchangeFault extends Error {
  override readonly name = 'ExchangeFault';
}

export interface Exchange {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Limit of the whole exchange. */
  timeoutMs: number;
  /** A longer body is an error, so that an endless body does not fill the memory. */
  maxAnswerBytes: number;
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

/**
 * Sends one HTTP request, bounded in time and bytes. Redirects are not followed.
 * @param connect opens the HTTP connection; simulations replace this function
 * @throws ExchangeFault; the reason of `signal`
 */
export async function exchange({ url, method, headers, body, timeoutMs, maxAnswerBytes, signal }: Exchange, timers: Timers, connect: Connect = openConnections): Promise<Answer> {
  const target = new URL(url);
  const fault = (): Error => new ExchangeFault(`${target.host} did not answer within ${timeoutMs / 1_000} s`);
  const tooLong = (): Error => new ExchangeFault(`${target.host} sent an answer of more than ${maxAnswerBytes} bytes`);
  const connections = connect({ connectionsPerOrigin: 1, keep: false }, timers);
  try {
    return await withinTime({ timeoutMs, timers, fault, signal }, async (within) => {
      const answer = await connections.send(target, { method, headers: headers ?? {}, body, signal: within });
      return { status: answer.status, headers: answer.headers, body: await collectBody(answer.body, maxAnswerBytes, tooLong) };
    });
  } catch (error) {
    throw error instanceof OutboundFailed ? new ExchangeFault(error.message) : error;
  } finally {
    connections.close();
  }
}
