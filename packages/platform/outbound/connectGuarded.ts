import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { checkResolved, checkUrl, refuseAddress, refusedHost, type AllowedAddresses, type CheckedUrl } from './guard.ts';

/** Returns all IP addresses of a host name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** The options that an agent of node:http passes when it opens a connection. */
export interface ConnectOptions {
  protocol: string;
  /** A host name, or an IP address without brackets. */
  host: string;
  port: number | string;
  lookup?: LookupFunction;
}

/** Returns a socket at once. The socket then connects, or emits 'error'. */
export type Connect = (options: ConnectOptions) => Socket;

/** Upper bound for the IP addresses that are tried per host name. */
const maxAddresses = 4;

/** Returns all IP addresses of a host name, in the order of the system's resolver. */
export async function lookupAll(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true, verbatim: true })).map((found) => found.address);
}

/**
 * Wraps `connect` so that no connection to a private, local or reserved IP address is opened. An IP address in the URL is checked directly, because
 * Node would not call the lookup function for it. A host name is rejected if any of its IP addresses is private. The socket connects only to IP
 * addresses that were checked, and its remote IP address is checked again before a byte is sent.
 * @param connect opens the sockets
 * @param lookup resolves host names
 */
export function connectGuarded(connect: Connect, lookup: Lookup, allowed: AllowedAddresses): Connect {
  return (options) => {
    const checked = check(options, allowed);
    if (checked instanceof Error) return connectNowhere(connect, options, checked);
    const socket = connect({ ...options, lookup: guardLookup(lookup, checked) });
    socket.prependOnceListener('connect', () => {
      if (checked.allowed || refuseAddress(socket.remoteAddress ?? '') === null) return;
      socket.destroy(refusedHost(checked.url.host, 'the connection leads to a private IP address'));
    });
    return socket;
  };
}

/**
 * Returns a socket that opens no connection and emits an error. The error comes asynchronously, because an agent of node:http adds its listeners
 * after it gets the socket.
 */
export function connectNowhere(connect: Connect, options: ConnectOptions, error: Error): Socket {
  return connect({ ...options, host: 'nowhere.invalid', lookup: (_host, _options, done) => void setImmediate(done, error, []) });
}

function check({ protocol, host, port }: ConnectOptions, allowed: AllowedAddresses): CheckedUrl | Error {
  try {
    return checkUrl(`${protocol}//${isIP(host) === 6 ? `[${host}]` : host}:${port}/`, allowed);
  } catch (error) {
    return error as Error;
  }
}

function guardLookup(lookup: Lookup, { allowed, url }: CheckedUrl): LookupFunction {
  const find = async (host: string): Promise<{ address: string; family: number }[]> => {
    const addresses = await lookup(host);
    if (addresses.length === 0) throw Object.assign(new Error('no IP address'), { code: 'ENOTFOUND' });
    if (!allowed) checkResolved(url.host, addresses);
    return addresses.slice(0, maxAddresses).map((address) => ({ address, family: isIP(address) }));
  };
  return (host, _options, done) => void find(host).then((found) => done(null, found), (error: Error) => done(error, []));
}
