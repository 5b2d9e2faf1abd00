import ipaddr from 'ipaddr.js';
import { platformErrors } from '../errors/platformErrors.ts';
import type { Problem } from '../errors/problem.ts';

/** Which private addresses may be called all the same: every one, or those of the listed `host:port`. */
export type AllowedAddresses = boolean | readonly string[];

/** Public by their number, yet services for the machine itself: Azure's agent. Others lie in ranges refused anyway. */
const metadataAddresses: ReadonlySet<string> = new Set(['168.63.129.16']);

/** How the ranges of ipaddr.js are called in sentences. */
const rangeNames: Readonly<Record<string, string>> = {
  unspecified: 'the unspecified address',
  loopback: 'a loopback address',
  private: 'a private address',
  linkLocal: 'a link-local address',
  uniqueLocal: 'a private (unique local) address',
  carrierGradeNat: 'a shared address of a carrier',
  multicast: 'a multicast address',
  broadcast: 'a broadcast address',
  '6to4': 'a 6to4 tunnel address',
  teredo: 'a Teredo tunnel address',
};

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translation = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** RFC 9637, later than the table of ipaddr.js. */
const documentation = ipaddr.IPv6.parseCIDR('3fff::/20');

/**
 * Why an IP address may not be called, or null where it is public.
 * IPv6 forms that carry an IPv4 address (mapped, NAT64) are judged by that; tunnels and everything outside 2000::/3 are
 * refused, which covers the deprecated compatible and site-local forms.
 * @param address a literal without brackets; a zone (`%eth0`) makes it link-local
 */
export function refuseAddress(address: string): string | null {
  if (address.includes('%')) return 'a link-local address';
  if (!ipaddr.isValid(address)) return 'not an address';
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return refuseV4(parsed);
  if (parsed.isIPv4MappedAddress()) return refuseV4(parsed.toIPv4Address());
  if (parsed.match(translation)) return refuseV4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  const range = parsed.range();
  if (range === 'unicast' && parsed.match(globalUnicast) && !parsed.match(documentation)) return null;
  return range === 'unicast' ? 'a reserved address' : nameRange(range);
}

function refuseV4(address: ipaddr.IPv4): string | null {
  if (metadataAddresses.has(address.toString())) return 'a metadata service of a cloud';
  const range = address.range();
  return range === 'unicast' ? null : nameRange(range);
}

function nameRange(range: string): string {
  return rangeNames[range] ?? 'a reserved address';
}

/** An address that passed the checks which need no network. */
export interface CheckedUrl {
  url: URL;
  /** Whether configuration lets this host and port be private. */
  allowed: boolean;
}

/**
 * Checks everything of an address that can be known without the network. The URL parser has already turned every
 * spelling of an IPv4 address (127.1, 2130706433, 0x7f.1, 0177.0.0.1, full-width digits, a dot at the end) into four
 * plain numbers.
 * @throws Problem `address-refused`; its sentence shows the host, never the path, query or credentials
 */
export function checkUrl(text: string, allowed: AllowedAddresses): CheckedUrl {
  if (!URL.canParse(text)) throw refused('The address is not a complete URL such as https://example.org/path.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`The address has the scheme ${url.protocol.slice(0, -1).slice(0, 20)}; only http and https are called.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refused(`The address at ${showHost(url)} holds a user name or password; put secrets into a path or query of your own.`);
  }
  if (isAllowed(url, allowed)) return { url, allowed: true };
  const host = bareHost(url);
  if (ipaddr.isValid(host)) {
    const reason = refuseAddress(host);
    if (reason !== null) throw refusedHost(showHost(url), `it is ${reason}`);
  }
  if (/(^|\.)localhost\.?$/.test(host)) throw refusedHost(showHost(url), 'it names this machine itself');
  return { url, allowed: false };
}

/** Refuses a host by the addresses that its name resolves to: one private address among them is enough. */
export function checkResolved(host: string, addresses: readonly string[]): void {
  for (const address of addresses) {
    const reason = refuseAddress(address);
    if (reason !== null) throw refusedHost(host, `it resolves to ${reason}`);
  }
}

/** The problem for a host that may not be called. */
export function refusedHost(host: string, why: string): Problem {
  return refused(`The host ${host.slice(0, 255)} may not be called: ${why}. Use a public address, or have the operator `
    + 'allow this host and port in VOUCH_ALLOW_PRIVATE_ADDRESSES.');
}

function refused(detail: string): Problem {
  return platformErrors.problem('address-refused', detail);
}

/**
 * Reads a list of `host:port` into the form that addresses are compared in.
 * @throws Error where an entry is not `host:port`
 */
export function readAllowed(entries: AllowedAddresses): AllowedAddresses {
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

export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The host without the brackets of IPv6. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Host and port for sentences. */
export function showHost(url: URL): string {
  return url.host.slice(0, 260);
}
