import ipaddr from 'ipaddr.js';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';

/** Private IP addresses that are allowed: all (`true`), none (`false`), or those of the listed `host:port` entries. */
export type AllowedAddresses = boolean | readonly string[];

/** Public IP addresses that serve only the machine itself: the Azure agent. Other cloud metadata services are in ranges that are rejected anyway. */
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Names of the ranges of ipaddr.js in messages. */
const rangeNames: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified IP address',
  loopback: 'a loopback IP address',
  private: 'a private IP address',
  linkLocal: 'a link-local IP address',
  uniqueLocal: 'a private (unique local) IP address',
  carrierGradeNat: 'a shared IP address of a carrier',
  multicast: 'a multicast IP address',
  broadcast: 'a broadcast IP address',
  '6to4': 'a 6to4 tunnel IP address',
  teredo: 'a Teredo tunnel IP address',
};

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translation = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** RFC 9637, published after the table of ipaddr.js. */
const documentation = ipaddr.IPv6.parseCIDR('3fff::/20');

/**
 * Returns why an IP address is rejected, or null if it is public. IPv6 addresses that contain an IPv4 address (mapped, NAT64) are judged by the IPv4
 * address. Tunnels and all addresses outside 2000::/3 are rejected, which covers the deprecated IPv4-compatible and site-local addresses.
 * @param address IP address without brackets; a zone (`%eth0`) makes it link-local
 */
export function refuseAddress(address: string): string | null {
  if (address.includes('%')) return 'a link-local IP address';
  if (!ipaddr.isValid(address)) return 'not an IP address';
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return refuseV4(parsed);
  if (parsed.isIPv4MappedAddress()) return refuseV4(parsed.toIPv4Address());
  if (parsed.match(translation)) return refuseV4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  const range = parsed.range();
  if (range === 'unicast' && parsed.match(globalUnicast) && !parsed.match(documentation)) return null;
  return range === 'unicast' ? 'a reserved IP address' : nameRange(range);
}

function refuseV4(address: ipaddr.IPv4): string | null {
  if (metadataAddresses.has(address.toString())) return 'the metadata service of a cloud';
  const range = address.range();
  return range === 'unicast' ? null : nameRange(range);
}

function nameRange(range: string): string {
  return rangeNames[range] ?? 'a reserved IP address';
}

/** A URL that passed the checks that need no network. */
export interface CheckedUrl {
  url: URL;
  /** Whether the configuration allows private IP addresses for this host and port. */
  allowed: boolean;
}

/**
 * Performs all checks of a URL that need no network. The URL parser has already converted each notation of an IPv4 address (127.1, 2130706433,
 * 0x7f.1, 0177.0.0.1, full-width digits, a trailing dot) to four decimal numbers.
 * @throws Problem `address-refused`; its message contains the host, never the path, query or credentials
 */
export function checkUrl(text: string, allowed: AllowedAddresses): CheckedUrl {
  if (!URL.canParse(text)) throw refused('The value is not a complete URL such as https://example.org/path.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`The URL has the scheme ${url.protocol.slice(0, -1).slice(0, 20)}; only http and https are allowed.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(`The URL with the host ${showHost(url)} contains a user name or password; put secrets into the path or the query.`);
  }
  if (isAllowed(url, allowed)) return { url, allowed: true };
  const host = bareHost(url);
  if (ipaddr.isValid(host)) {
    const reason = refuseAddress(host);
    if (reason !== null) throw refusedHost(showHost(url), `the host is ${reason}`);
  }
  if (/(^|\.)localhost\.?$/.test(host)) throw refusedHost(showHost(url), 'the host is this machine');
  return { url, allowed: false };
}

/** Checks the IP addresses of a host name. @throws Problem `address-refused` if any of them is not public */
export function checkResolved(host: string, addresses: readonly string[]): void {
  for (const address of addresses) {
    const reason = refuseAddress(address);
    if (reason !== null) throw refusedHost(host, `the host resolves to ${reason}`);
  }
}

/** Returns the problem for a host that may not be called. */
export function refusedHost(host: string, why: string): Problem {
  return refused(`The host ${host.slice(0, 255)} is not allowed: ${why}. Use a public host, or ask the operator to `
    + 'add this host and port to VOUCH_ALLOW_PRIVATE_ADDRESSES.');
}

function refused(detail: string): Problem {
  return platformErrors.problem('address-refused', detail);
}

/**
 * Normalizes a list of `host:port` entries, so that URLs can be compared with them.
 * @throws Error that names the first entry that is not `host:port`
 */
export function parseAllowed(entries: AllowedAddresses): AllowedAddresses {
  if (typeof entries === 'boolean') return entries;
  return entries.map((entry) => {
    const port = /:(\d{1,5})$/.exec(entry)?.[1];
    if (port === undefined || !URL.canParse(`http://${entry}/`)) {
      throw new Error(`${JSON.stringify(entry)} in VOUCH_ALLOW_PRIVATE_ADDRESSES is not host:port, e.g. 127.0.0.1:9000`);
    }
    return `${new URL(`http://${entry}/`).hostname}:${Number(port)}`;
  });
}

function isAllowed(url: URL, allowed: AllowedAddresses): boolean {
  return typeof allowed === 'boolean' ? allowed : allowed.includes(`${url.hostname}:${portOf(url)}`);
}

/** Returns the port of a URL, or the default port of its scheme. */
function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** Returns the host without the brackets of IPv6. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Returns host and port for messages. */
export function showHost(url: URL): string {
  return url.host.slice(0, 260);
}
