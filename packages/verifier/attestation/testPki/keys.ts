import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A P-256 key of a test PKI. */
export interface TestKey {
  privateKey: KeyObject;
  /** SubjectPublicKeyInfo in DER. */
  spki: Buffer;
  /** x and y, 32 bytes each. */
  point: Buffer;
}

export function makeTestKey(): TestKey {
  return testKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** PKCS #8 in PEM, for a PKI that outlives its process. */
export function writeTestKey({ privateKey }: TestKey): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

export function readTestKey(pem: string): TestKey {
  return testKeyOf(createPrivateKey(pem));
}

function testKeyOf(privateKey: KeyObject): TestKey {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, spki, point: spki.subarray(spki.length - 64) };
}

/** ECDSA with SHA-256 in DER, as certificates have it. */
export function signDer(key: TestKey, bytes: Buffer): Buffer {
  return sign('sha256', bytes, key.privateKey);
}

/** r and s, 32 bytes each, as quotes and documents have it. */
export function signRaw(key: TestKey, bytes: Buffer): Buffer {
  return sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
}
