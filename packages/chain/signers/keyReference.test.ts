import { describe, expect, it } from 'vitest';
import { isKeyReference, keyReferencePattern, parseKeyReference } from './keyReference.ts';

const address = `0x${'aB'.repeat(20)}`;
const version = 'projects/p-1/locations/europe-west3/keyRings/ring/cryptoKeys/relayer/cryptoKeyVersions/3';

describe('a key reference', () => {
  it.each([
    ['awskms:alias/vouch-relayer', { service: 'awskms', keyId: 'alias/vouch-relayer', address: null }],
    [`awskms:arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab#${address}`,
      { service: 'awskms', keyId: 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab', address: address.toLowerCase() }],
    [`gcpkms:${version}`, { service: 'gcpkms', version, address: null }],
    ['vault:transit/keys/relayer?file=/etc/vouch/relayer.vault', { service: 'vault', mount: 'transit', key: 'relayer', file: '/etc/vouch/relayer.vault', address: null }],
    [`vault:team/keys/transit/keys/a.b?file=r.vault#${address}`, { service: 'vault', mount: 'team/keys/transit', key: 'a.b', file: 'r.vault', address: address.toLowerCase() }],
    [`web3signer:https://signer.internal:9000#${address}`, { service: 'web3signer', url: 'https://signer.internal:9000/', tls: {}, address: address.toLowerCase() }],
    [`web3signer:https://s/rpc?ca=/a.pem&cert=/c.pem&key=/k.pem&x=1#${address}`,
      { service: 'web3signer', url: 'https://s/rpc?x=1', tls: { ca: '/a.pem', cert: '/c.pem', key: '/k.pem' }, address: address.toLowerCase() }],
  ])('is read: %s', (text, expected) => {
    expect(isKeyReference(text)).toBe(true);
    expect(text).toMatch(new RegExp(`^${keyReferencePattern}$`));
    expect(parseKeyReference(text)).toEqual(expected);
  });

  it.each([
    'awskms:', 'awskms:key with blanks', 'awskms:alias/x#0x12', 'gcpkms:projects/p', `gcpkms:${version.replace('/cryptoKeyVersions/3', '')}`, 'vault:transit/keys/x',
    'vault:relayer', `web3signer:https://s:9000`, `web3signer:ftp://s#${address}`, 'kms:x', 'web3signer:', '',
  ])('is refused with the forms there are: %s', (text) => {
    expect(text).not.toMatch(new RegExp(`^${keyReferencePattern}$`));
    expect(() => parseKeyReference(text)).toThrow(/^A key reference has one of the forms awskms:alias\/NAME, /);
  });

  it.each(['web3signer:https://:', 'web3signer:http://[::', 'web3signer:https://s:99999', 'web3signer:https://?token=hidden'])('whose address is no URL is refused in the same words: %s', (text) => {
    expect(() => parseKeyReference(`${text}#${address}`)).toThrow(/^A key reference has one of the forms .*; the URL after web3signer: cannot be parsed\.$/);
  });

  it('holds no credential, and a refusal shows none', () => {
    const text = `web3signer:https://user:hidden-password@s:9000#${address}`;
    let said = '';
    try {
      parseKeyReference(text);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toContain('web3signer:https://HOST');
    expect(said).not.toContain('hidden');
  });
});
