import { lookup as systemLookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import { checkResolved, checkUrl, refuseAddress, refusedHost, type AllowedAddresses } from './guard.ts';

/** Gives every address of a host name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Of a name with very many addresses only the first are tried. */
const maximumAddresses = 4;

/** Every address that the system's resolver knows for a name, in its order. */
export async function lookupAll(host: string): Promise<readonly string[]> {
  return (await systemLookup(host, { all: true, verbatim: true })).map((found) => found.address);
}

/**
 * A connector for undici that opens no connection to a private, local or reserved address: a literal is judged itself
 * (it would skip a guarded lookup), a name is refused where any of its addresses is private, the connection goes to the
 * very address that was judged, and the socket's own idea of its peer is judged again.
 * @param connect the connector that really opens sockets
 */
export function connectGuarded(connect: buildConnector.connector, lookup: Lookup, allowed: AllowedAddresses): buildConnector.connector {
  return (options, callback) => {
    open(options).then((socket) => callback(null, socket), (error: unknown) => callback(asError(error), null));
  };

  async function open(options: buildConnector.Options): Promise<Socket> {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const shown = ipaddr.IPv6.isValid(host) ? `[${host}]` : host;
    const checked = checkUrl(`${options.protocol}//${shown}:${options.port || defaultPort(options.protocol)}/`, allowed);
    const addresses = ipaddr.isValid(host) ? [host] : await resolve(host);
    if (!checked.allowed) checkResolved(checked.url.host, addresses);
    const socket = await openFirst(options, addresses);
    const peer = socket.remoteAddress ?? '';
    if (!checked.allowed && refuseAddress(peer) !== null) {
      socket.destroy();
      throw refusedHost(checked.url.host, 'the connection ended at a private address');
    }
    return socket;
  }

  async function resolve(host: string): Promise<readonly string[]> {
    const addresses = await lookup(host);
    if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
    return addresses;
  }

  async function openFirst(options: buildConnector.Options, addresses: readonly string[]): Promise<Socket> {
    let failure: unknown;
    for (const address of addresses.slice(0, maximumAddresses)) {
      try {
        return await openOne({ ...options, hostname: address });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  function openOne(options: buildConnector.Options): Promise<Socket> {
    return new Promise((resolve, reject) => {
      connect(options, (error, socket) => (error === null ? resolve(socket as Socket) : reject(error)));
    });
  }
}

function defaultPort(protocol: string): string {
  return protocol === 'https:' ? '443' : '80';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
