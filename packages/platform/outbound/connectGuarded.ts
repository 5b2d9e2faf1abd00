import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { checkResolved, checkUrl, refuseAddress, refusedHost, type AllowedAddresses, type CheckedUrl } from './guard.ts';

/** Gives every address of a host name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** What an agent of node:http knows where it opens a connection. */
export interface ConnectOptions {
  protocol: string;
  /** A name, or an IP address without brackets. */
  host: string;
  port: number | string;
  lookup?: LookupFunction;
}

/** Gives a socket at once, which connects, or fails with an 'error'. */
export type Connect = (options: ConnectOptions) => Socket;

/** Of a name with very many addresses only the first are tried. */
const maxAddresses = 4;

/** Every address that the system's resolver knows for a name, in its order. */
export async function lookupAll(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true, verbatim: true })).map((found) => found.address);
}

/**
 * Opens no connection to a private, local or reserved address: a literal is judged itself (it would skip a guarded lookup), a
 * name is refused where any of its addresses is private, the connection goes to the very addresses that were judged, and the
 * socket's own idea of its peer is judged again before a byte is sent.
 * @param connect what really opens sockets
 */
export function connectGuarded(connect: Connect, lookup: Lookup, allowed: AllowedAddresses): Connect {
  return (options) => {
    const checked = check(options, allowed);
    if (checked instanceof Error) return connectNowhere(connect, options, checked);
    const socket = connect({ ...options, lookup: guardLookup(lookup, checked) });
    socket.prependOnceListener('connect', () => {
      if (checked.allowed || refuseAddress(socket.remoteAddress ?? '') === null) return;
      socket.destroy(refusedHost(checked.url.host, 'the connection ended at a private address'));
    });
    return socket;
  };
}

/** A socket that opens no connection and fails with an error, as an agent of node:http must be given one: after its listeners. */
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
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    if (!allowed) checkResolved(url.host, addresses);
    return addresses.slice(0, maxAddresses).map((address) => ({ address, family: isIP(address) }));
  };
  return (host, _options, done) => void find(host).then((found) => done(null, found), (error: Error) => done(error, []));
}
