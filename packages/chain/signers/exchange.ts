import { collectBody } from '@vouch/platform/outbound/collectBody';
import { openConnections, type Connections } from '@vouch/platform/outbound/openConnections';
import { OutboundFailed } from '@vouch/platform/outbound/outbound';
import type { TlsOptions } from '@vouch/platform/outbound/openAgents';
import { SignerFault } from './signerFault.ts';
import { withinLimit, type TimeLimit } from './timeLimit.ts';

/** Maximum size of an answer in bytes. An answer contains a signature or a public key and a few other fields. */
const answerBytesMax = 64 * 1_024;
const connectionsMax = 4;

interface ServiceRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Status and parsed JSON of an answer; `body` is an empty object if the answer is not a JSON object. */
export interface ServiceAnswer {
  status: number;
  body: Readonly<Record<string, unknown>>;
}

/** Sends a JSON request to a service and reads the answer, limited in time and size. */
export type Exchange = (request: ServiceRequest, signal?: AbortSignal) => Promise<ServiceAnswer>;

/** Creates an exchange. It throws SignerFault `unreachable`, `timeout` or `bad-answer`, or the reason of `signal`; the caller checks the status. */
export function createExchange(limit: TimeLimit, tls?: TlsOptions): Exchange {
  const { name, timers } = limit;
  const connections = openConnections({ connectionsPerOrigin: connectionsMax, keep: true, tls }, timers);
  return (request, signal) => withinLimit(limit, signal, async (within) => {
    try {
      return await send(connections, request, name, within);
    } catch (error) {
      throw error instanceof OutboundFailed ? new SignerFault('unreachable', `${name}: ${error.message}.`) : error;
    }
  });
}

async function send(connections: Connections, { method, url, headers, body }: ServiceRequest, name: string, signal: AbortSignal): Promise<ServiceAnswer> {
  const answer = await connections.send(new URL(url), {
    method, signal,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const tooLong = (): Error => new SignerFault('bad-answer', `${name} sent an answer of more than ${answerBytesMax} bytes.`);
  return { status: answer.status, body: parse((await collectBody(answer.body, answerBytesMax, tooLong)).toString('utf8')) };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
