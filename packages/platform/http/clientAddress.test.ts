import { describe, expect, it } from 'vitest';
import { addressGroup, trustProxies } from './clientAddress.ts';

describe('who shares a bound', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::9', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['no address', 'no address'],
  ])('%s belongs to %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });
});

describe('trusted proxies', () => {
  it('are addresses and ranges of both versions, also as IPv4 inside IPv6', () => {
    const trusted = trustProxies(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32']);
    for (const address of ['192.0.2.1', '10.200.3.4', '::ffff:10.1.1.1', '2001:db8:9::1']) expect(trusted(address), address).toBe(true);
    for (const address of ['192.0.2.2', '11.0.0.1', '2001:db9::1', '', 'localhost']) expect(trusted(address), address).toBe(false);
  });

  it('are nobody without a list', () => {
    expect(trustProxies([])('127.0.0.1')).toBe(false);
  });

  it.each(['localhost', '10.0.0.0/33', '10.0.0.0/x', '', '::/129'])('refuse %j at the start', (entry) => {
    expect(() => trustProxies([entry])).toThrow('VOUCH_TRUSTED_PROXIES');
  });
});
