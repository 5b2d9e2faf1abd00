import { assert as assertHolds, ipV4, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../errors/problem.ts';
import { checkResolved, checkUrl, parseAllowed, refuseAddress, type AllowedAddresses } from './guard.ts';

function refusal(url: string, allowed: AllowedAddresses = false): string {
  try {
    checkUrl(url, allowed);
  } catch (error) {
    if (error instanceof Problem && error.code === 'address-refused') return error.detail;
    throw error;
  }
  return '';
}

describe('an address that could never be called is refused at every spelling', () => {
  it.each([
    ['127.0.0.1', 'loopback'], ['127.1', 'loopback'], ['2130706433', 'loopback'], ['0x7f.1', 'loopback'],
    ['0x7f000001', 'loopback'], ['0177.0.0.1', 'loopback'], ['017700000001', 'loopback'], ['127.0.0.1.', 'loopback'],
    ['127.255.255.254', 'loopback'], ['１２７.０.０.１', 'loopback'], ['①②⑦.0.0.1', 'loopback'], ['127。0。0。1', 'loopback'],
    ['%31%32%37.0.0.1', 'loopback'], ['0', 'unspecified'], ['0.0.0.0', 'unspecified'], ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'], ['172.16.0.1', 'private'], ['172.31.255.255', 'private'], ['192.168.1.1', 'private'],
    ['169.254.169.254', 'link-local'], ['100.64.0.1', 'carrier'], ['100.100.100.200', 'carrier'],
    ['168.63.129.16', 'metadata'], ['192.0.0.192', 'reserved'], ['192.0.2.1', 'reserved'], ['198.18.0.1', 'reserved'],
    ['203.0.113.9', 'reserved'], ['224.0.0.1', 'multicast'], ['240.0.0.1', 'reserved'], ['255.255.255.255', 'broadcast'],
    ['[::1]', 'loopback'], ['[0:0:0:0:0:0:0:1]', 'loopback'], ['[::]', 'unspecified'], ['[::ffff:127.0.0.1]', 'loopback'],
    ['[::ffff:7f00:1]', 'loopback'], ['[::ffff:a9fe:a9fe]', 'link-local'], ['[::127.0.0.1]', 'reserved'],
    ['[64:ff9b::7f00:1]', 'loopback'], ['[64:ff9b::10.0.0.1]', 'private'], ['[64:ff9b:1::a00:1]', 'reserved'],
    ['[2002:7f00:1::]', '6to4'], ['[2001:0:7f00:1::]', 'Teredo'], ['[fe80::1]', 'link-local'], ['[fec0::1]', 'reserved'],
    ['[fc00::1]', 'private'], ['[fd00:ec2::254]', 'private'], ['[ff02::1]', 'multicast'], ['[2001:db8::1]', 'reserved'],
    ['[3fff::1]', 'reserved'], ['[100::1]', 'reserved'],
    ['localhost', 'this machine'], ['LOCALHOST', 'this machine'], ['localhost.', 'this machine'],
    ['a.localhost', 'this machine'], ['ｌｏｃａｌｈｏｓｔ', 'this machine'],
  ])('http://%s/ (%s)', (host, reason) => {
    expect(refusal(`http://${host}/path?token=hidden`)).toContain(reason);
    expect(refusal(`https://${host}:8443/`)).toContain(reason);
    expect(refusal(`http://${host}/path?token=hidden`)).not.toContain('hidden');
  });

  it.each(['8.8.8.8', '[2606:4700::1111]', '[::ffff:8.8.8.8]', '[64:ff9b::808:808]', 'example.org', 'localhost.example.org', 'bücher.example'])(
    'a public host passes: %s', (host) => expect(refusal(`https://${host}/hook`)).toBe(''));

  it.each([
    ['ftp://example.org/', 'scheme ftp'], ['file:///etc/passwd', 'scheme file'], ['gopher://127.0.0.1/', 'scheme gopher'],
    ['javascript:alert(1)', 'scheme javascript'], ['not a url', 'not a complete URL'], ['//example.org/', 'not a complete URL'],
    ['http://', 'not a complete URL'], ['http://256.256.256.256/', 'not a complete URL'], ['http://1.2.3.4.5/', 'not a complete URL'],
    ['http://user@example.org/', 'user name'], ['http://u:pa55@example.org/', 'user name'],
    ['http://example.org:80@127.0.0.1/', 'user name'],
  ])('%s is refused', (url, reason) => {
    expect(refusal(url)).toContain(reason);
    expect(refusal(url)).not.toContain('pa55');
    expect(refusal(url, true)).toContain(reason);
  });

  it('refuses each IPv4 address in its mapped form exactly where it refuses the plain one', () => {
    assertHolds(property(ipV4(), (address) => {
      const parts = address.split('.').map(Number);
      const mapped = `::ffff:${parts.map((part) => part.toString(16).padStart(2, '0')).join('').replace(/^(.{4})/, '$1:')}`;
      expect(refuseAddress(mapped)).toBe(refuseAddress(address));
      expect(refusal(`http://${parts.reduce((sum, part) => sum * 256 + part, 0)}/`) === '').toBe(refuseAddress(address) === null);
    }));
  });
});

describe('the list of allowed addresses', () => {
  it('lets through exactly its hosts and ports, in any spelling', () => {
    const allowed = parseAllowed(['127.0.0.1:9000', 'Receiver.internal:80', '[::1]:443']);
    for (const url of ['http://127.0.0.1:9000/', 'http://2130706433:9000/x', 'http://receiver.internal/', 'https://[0::1]/']) {
      expect(checkUrl(url, allowed).allowed).toBe(true);
    }
    expect(refusal('http://127.0.0.1:9001/', allowed)).toContain('loopback');
    expect(refusal('http://127.0.0.2:9000/', allowed)).toContain('loopback');
    expect(refusal('http://[::1]/', allowed)).toContain('loopback');
    expect(checkUrl('https://receiver.internal/', allowed).allowed).toBe(false);
  });

  it('refuses an entry that is not host:port', () => {
    for (const entry of ['127.0.0.1', 'http://x:80/', 'x:port', '']) expect(() => parseAllowed([entry])).toThrow('is not host:port');
  });
});

describe('a name', () => {
  it('is refused where one of its addresses is private, whatever the others are', () => {
    expect(() => checkResolved('mixed.example', ['8.8.8.8', '10.0.0.1'])).toThrow('mixed.example is not allowed: the host resolves to a private IP address');
    expect(() => checkResolved('odd.example', ['fe80::1%eth0'])).toThrow('link-local');
    expect(() => checkResolved('public.example', ['8.8.8.8', '2606:4700::1111'])).not.toThrow();
  });
});
