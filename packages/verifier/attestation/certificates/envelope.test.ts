import { expect, it } from 'vitest';
import { makeTestKeys, makeTestWorld } from '../testPki/makeTestWorld.ts';
import { buildWorld } from '../testPki/testWorld.ts';
import { parseCertificate } from './parseCertificate.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';

const { pck } = buildWorld(makeTestWorld(makeTestKeys(), new Date('2026-03-01T12:00:00Z'))).certificates;

it('a certificate with a flipped bit outside of its signed part and its signature is refused', () => {
  expect(parseCertificate(pck).commonName).not.toBe('');
  // Outer tag and length: four bytes. Algorithm: twelve bytes. The tag, length and unused bits of the signature: three bytes.
  const signature = pck.lastIndexOf(Buffer.from('300a06082a8648ce3d040302', 'hex'));
  const around = [0, 1, 2, 3, ...Array.from({ length: 15 }, (_, at) => signature + at)];
  for (const at of around) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(pck);
      changed[at]! ^= 1 << bit;
      expect(() => parseCertificate(changed), `bit ${bit} of byte ${at}`).toThrow(UnreadableCertificate);
    }
  }
  expect(() => parseCertificate(Buffer.concat([pck, Buffer.of(0)]))).toThrow(UnreadableCertificate);
});
