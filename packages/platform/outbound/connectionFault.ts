import { Problem } from '../errors/problem.ts';
import { OutboundFailed } from './outbound.ts';

type Fault = readonly [OutboundFailed['kind'], string];

const faults: Readonly<Record<string, Fault>> = {
  ENOTFOUND: ['unreachable', 'could not be resolved (DNS)'],
  EAI_AGAIN: ['unreachable', 'could not be resolved: the DNS server did not answer'],
  ECONNREFUSED: ['unreachable', 'refuses connections'],
  EHOSTUNREACH: ['unreachable', 'cannot be reached from this network'],
  ENETUNREACH: ['unreachable', 'cannot be reached from this network'],
  ETIMEDOUT: ['unreachable', 'did not accept the connection in time'],
  ERR_SOCKET_CONNECTION_TIMEOUT: ['unreachable', 'did not accept the connection in time'],
  EPROTO: ['unreachable', 'violates the TLS protocol'],
  ECONNRESET: ['incomplete', 'closed the connection before the answer was complete'],
  EPIPE: ['incomplete', 'closed the connection before the answer was complete'],
  HPE_HEADER_OVERFLOW: ['incomplete', 'sent headers of more than 32 KB'],
};

/** Returns whether the HTTP parser failed: the server sent data that is not HTTP, or more data than allowed. */
export function isParserFault(error: unknown): boolean {
  return connectionCode(error).startsWith('HPE_');
}

/**
 * Converts a connection error to a message about its host. Problems of the guard are returned unchanged.
 * @param host host and port, never with a path or query
 */
export function describeFault(error: unknown, host: string): Problem | OutboundFailed {
  if (error instanceof Problem || error instanceof OutboundFailed) return error;
  const [kind, what] = faultOf(connectionCode(error));
  return new OutboundFailed(kind, host, what, error);
}

/**
 * Maps codes of the system, of TLS (about thirty for certificates alone) and of the HTTP parser. The message for an unknown code contains the code.
 */
function faultOf(code: string): Fault {
  const known = faults[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return ['incomplete', 'sent an invalid HTTP answer, or more bytes than announced'];
  if (code.startsWith('ERR_SSL_')) return ['unreachable', `violates the TLS protocol (${code})`];
  if (/CERT|CRL|SIGN|ALTNAME/.test(code)) return ['certificate', `has no valid certificate (${code})`];
  return ['unreachable', `could not be reached (${code === '' ? 'unknown failure' : code})`];
}

function connectionCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
