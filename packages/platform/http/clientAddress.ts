import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Returns whether an IP address belongs to a reverse proxy whose `X-Forwarded-For` is trusted. */
export type TrustedProxies = (address: string) => boolean;

/**
 * Parses the list of trusted reverse proxies.
 * @param list IP addresses, or ranges such as `10.0.0.0/8`
 * @throws Error that names the first entry that is neither
 */
export function trustProxies(list: readonly string[]): TrustedProxies {
  if (list.length === 0) return () => false;
  const trusted = new BlockList();
  for (const entry of list) addRange(trusted, entry);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6');
  };
}

function addRange(trusted: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  const widest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? widest : Number(bits);
  if (version === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > widest) {
    throw new Error(`VOUCH_TRUSTED_PROXIES: ${JSON.stringify(entry.slice(0, 60))} is neither an IP address nor a range such as 10.0.0.0/8.`);
  }
  trusted.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Returns the group of clients that share one limit: an IPv4 address, or the /64 of an IPv6 address, because one subscriber usually has a whole /64.
 * @param address IP address; undefined if the connection is already closed
 */
export function addressGroup(address = ''): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts.slice(0, 4).map((part) => part.toString(16)).join(':')}::/64`;
}
