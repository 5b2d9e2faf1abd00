import { describeFault } from '@vouch/platform/outbound/connectionFault';

/** Faults that only `fetch` has, by their code, their message, or the name of the error: the HTTP parser of Node 24 gives no code. */
const faultsOfFetch: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: 'closed the connection before the answer was complete',
  UND_ERR_CONNECT_TIMEOUT: 'did not accept the connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'did not begin its answer in time',
  UND_ERR_BODY_TIMEOUT: 'stopped in the middle of its answer',
  HTTPParserError: 'sent an invalid HTTP answer, or more bytes than announced',
  'unexpected redirect': 'redirects to another URL, which could send the key to another server',
  'bad port': 'has a port that no HTTP request may use (a reserved port of another protocol)',
};

/** Returns whether a call of the client failed because no answer arrived: `fetch` throws a TypeError with a cause, and the client a TimeoutError. */
export function isUnreachable(error: unknown): error is Error {
  return (error instanceof TypeError && error.cause instanceof Error) || (error instanceof Error && error.name === 'TimeoutError');
}

/** Why a server gave no answer, as a sentence without its full stop: the fault of DNS, TLS or the connection, with its code. */
export function unreachableReason(url: string, error: Error): string {
  const { host } = new URL(url);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message.replace(/\.$/, '');
  const { code = '', message, name } = cause as NodeJS.ErrnoException;
  const own = faultsOfFetch[code] ?? faultsOfFetch[message] ?? faultsOfFetch[name];
  const what = own ?? (code === '' ? `could not be reached (${message})` : describeFault(cause, host).message.slice(host.length + 1));
  return `${host} ${what}${code === '' || what.includes(code) ? '' : ` (${code})`}`;
}
