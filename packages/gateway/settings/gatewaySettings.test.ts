import { Value } from 'typebox/value';
import { expect, it } from 'vitest';
import { gatewaySettings } from './gatewaySettings.ts';

const address = `0x${'ab'.repeat(20)}`;

it.each([
  ['5'.repeat(64), true], [`0x${'5'.repeat(64)}`, true], ['awskms:alias/vouch-relayer', true], [`vault:transit/keys/relayer?file=/etc/vouch/relayer.vault#${address}`, true],
  [`web3signer:https://signer.internal:9000#${address}`, true], ['gcpkms:projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1', true],
  ['5'.repeat(63), false], [`web3signer:https://user:password@signer.internal#${address}`, false], ['/etc/vouch/relayer.json', false], ['awskms:', false], ['', false],
])('VOUCH_RELAYER_KEYS takes keys and references, and nothing that holds a password: %s is %s', (text, taken) => {
  expect(Value.Check(gatewaySettings.properties.relayer_keys, [text])).toBe(taken);
});
