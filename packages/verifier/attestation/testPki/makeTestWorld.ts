import { makeTestKey, type TestKey } from './keys.ts';
import type { TestCertificate } from './makeCertificate.ts';
import { quoteDefaults, testReport, type TestReport } from './makeQuote.ts';
import { testQeIdentity, testTcbInfo } from './testDocuments.ts';
import type { TestWorld } from './testWorld.ts';

/** Keys of a test PKI. Create the keys once and reuse them for all test worlds: key generation is slow. */
export interface TestKeys {
  root: TestKey;
  platformCa: TestKey;
  pck: TestKey;
  tcbSigning: TestKey;
  attestation: TestKey;
  /** Key that does not belong to the PKI. */
  stranger: TestKey;
}

export function makeTestKeys(): TestKeys {
  return { root: makeTestKey(), platformCa: makeTestKey(), pck: makeTestKey(), tcbSigning: makeTestKey(), attestation: makeTestKey(), stranger: makeTestKey() };
}

export const testNames = { root: 'Intel SGX Root CA', platformCa: 'Intel SGX PCK Platform CA', pck: 'Intel SGX PCK Certificate', tcbSigning: 'Intel SGX TCB Signing' } as const;
const qeSigner = '8c'.repeat(32);
const components = [11, 11, 2, 2, 255, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const year = 365 * 86_400_000;
const day = 86_400_000;

/**
 * Creates a test world in which every check passes at the date: an up-to-date platform, and an enclave with mrEnclave a1…,
 * mrSigner b2…, product 7 and security version 3. A test changes fields of the returned object before calling buildWorld.
 */
export function makeTestWorld(keys: TestKeys, date: Date, report: Partial<TestReport> = {}): TestWorld {
  const at = (days: number): Date => new Date(Math.floor((date.getTime() + days * day) / 1_000) * 1_000);
  const certificate = (name: keyof typeof testNames, issuer: 'root' | 'platformCa', serial: string, changes: Partial<TestCertificate>): TestCertificate => ({
    subject: testNames[name], issuer: testNames[issuer], serial, notBefore: at(-year / day), notAfter: at((7 * year) / day), key: keys[name], signer: keys[issuer],
    authority: false, pathLength: null, signsCertificates: false, platform: null, unknownCritical: null, ...changes,
  });
  const platform = { ppid: 'c3'.repeat(16), components, pceSvn: 13, pceId: '0000', fmspc: '00a067110000' };
  return {
    date,
    root: certificate('root', 'root', '11', { authority: true, pathLength: 1, signsCertificates: true }),
    platformCa: certificate('platformCa', 'root', '22', { authority: true, pathLength: 0, signsCertificates: true }),
    pck: certificate('pck', 'platformCa', '33', { platform }),
    tcbSigning: certificate('tcbSigning', 'root', '44', {}),
    rootCrl: { issuer: testNames.root, signer: keys.root, thisUpdate: at(-30), nextUpdate: at(335), revoked: [] },
    pckCrl: { issuer: testNames.platformCa, signer: keys.platformCa, thisUpdate: at(-1), nextUpdate: at(29), revoked: ['55'] },
    tcbInfo: testTcbInfo(at(-1), at(29), components, platform.pceSvn, platform.fmspc, platform.pceId),
    qeIdentity: testQeIdentity(at(-1), at(29), qeSigner, 1, 10),
    documentSigner: keys.tcbSigning,
    quote: {
      ...quoteDefaults, report: testReport(report), attestationKey: keys.attestation, qeAuthenticationData: Buffer.from(Array.from({ length: 32 }, (_, n) => n)).toString('hex'),
      qeReport: { ...testReport(), attributes: '1500000000000000e700000000000000', mrEnclave: 'd4'.repeat(32), mrSigner: qeSigner, productId: 1, securityVersion: 10 },
    },
    tampering: {},
    finish: (quote) => quote,
  };
}
