import { describe, expect, it } from 'vitest';
import { makeTestKey } from '../testPki/keys.ts';
import { makeCrl, type TestCrl } from '../testPki/makeCertificate.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';
import { parseCrl } from './parseCrl.ts';

const list: TestCrl = { issuer: 'Somebody', signer: makeTestKey(), thisUpdate: new Date('2026-01-01T00:00:00Z'), nextUpdate: new Date('2051-01-01T00:00:00Z'), revoked: [] };

describe('a revocation list', () => {
  it('is read with its dates, also beyond 2050, where their form changes', () => {
    expect(parseCrl(makeCrl(list))).toMatchObject({ issuerName: 'Somebody', thisUpdate: list.thisUpdate.getTime(), nextUpdate: list.nextUpdate.getTime() });
  });

  it('may revoke many thousands', () => {
    const revoked = Array.from({ length: 20_000 }, (_, n) => `1${n.toString(16).padStart(39, '0')}`);
    expect([...parseCrl(makeCrl({ ...list, revoked })).revoked]).toEqual(revoked);
  });

  it('is refused wherever it is cut off', () => {
    const der = makeCrl({ ...list, revoked: ['11', '22'] });
    for (let length = 0; length < der.length; length += 1) expect(() => parseCrl(der.subarray(0, length))).toThrow(UnreadableCertificate);
  });
});
