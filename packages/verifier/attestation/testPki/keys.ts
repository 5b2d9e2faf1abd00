import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A P-256 key of a test PKI. */
export interface TestKey {
  privateKey: KeyObject;
  /** SubjectPublicKeyInfo in DER. */
  spki: Buffer;
  /** x and y, 32 bytes each. */
  point: Buffer;
  /** Signs with ECDSA-SHA256; returns DER, or r and s, 32 bytes each. */
  sign(bytes: Buffer, encoding: 'der' | 'ieee-p1363'): Buffer;
}

export function makeTestKey(): TestKey {
  return testKeyOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
}

/** Exports the private key as PKCS #8 in PEM, for a PKI that is stored on disk. */
export function writeTestKey({ privateKey }: TestKey): string {
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

export function parseTestKey(pem: string): TestKey {
  return testKeyOf(createPrivateKey(pem));
}

/** Makes a test key of a private key, whose signatures of one text all differ. */
export function testKeyOf(privateKey: KeyObject): TestKey {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, spki, point: spki.subarray(spki.length - 64), sign: (bytes, dsaEncoding) => sign('sha256', bytes, { key: privateKey, dsaEncoding }) };
}

/** Signs with ECDSA-SHA256; returns DER, the form in certificates. */
export function signDer(key: TestKey, bytes: Buffer): Buffer {
  return key.sign(bytes, 'der');
}

/** Signs with ECDSA-SHA256; returns r and s, 32 bytes each, the form in quotes and documents. */
export function signRaw(key: TestKey, bytes: Buffer): Buffer {
  return key.sign(bytes, 'ieee-p1363');
}
