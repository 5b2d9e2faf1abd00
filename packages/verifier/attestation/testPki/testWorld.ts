import { brotliCompressSync, constants } from 'node:zlib';
import { sha256 } from '../certificates/parseCertificate.ts';
import type { TrustRoot } from '../certificates/trustRoot.ts';
import type { CollateralFile } from '../collateral/collateral.ts';
import { parseCollateral } from '../collateral/parseCollateral.ts';
import type { AttestationPolicy } from '../policy/policy.ts';
import { tcbPolicies } from '../policy/policy.ts';
import type { Judgement } from '../verifyAttestation.ts';
import { signRaw, type TestKey } from './keys.ts';
import { writePem } from '../certificates/writePem.ts';
import { makeCertificate, makeCrl, type TestCertificate, type TestCrl } from './makeCertificate.ts';
import { makeQuote, type QuoteTampering, type TestQuote } from './makeQuote.ts';
import type { TestQeIdentity, TestTcbInfo } from './testDocuments.ts';

/**
 * A whole world of attestation as plain data: change any field, then build it, and every signature is made anew by the keys in
 * it. Start from testWorld.
 */
export interface TestWorld {
  date: Date;
  root: TestCertificate;
  platformCa: TestCertificate;
  pck: TestCertificate;
  tcbSigning: TestCertificate;
  rootCrl: TestCrl;
  pckCrl: TestCrl;
  tcbInfo: TestTcbInfo;
  qeIdentity: TestQeIdentity;
  /** Who signs TCB info and QE identity; the key of tcbSigning, unless something is to be forged. */
  documentSigner: TestKey;
  quote: TestQuote;
  tampering: QuoteTampering;
  /** What is done to the bytes of the quote at the very end. */
  finish: (quote: Buffer) => Buffer;
}

/** What a world becomes: what a reporter posts and what an operator has in his folder. */
export interface BuiltWorld {
  quote: Buffer;
  info: string;
  files: CollateralFile[];
  trustRoot: TrustRoot;
  date: Date;
  certificates: { root: Buffer; platformCa: Buffer; pck: Buffer; tcbSigning: Buffer };
}

export function buildWorld(world: TestWorld): BuiltWorld {
  const certificates = {
    root: makeCertificate(world.root), platformCa: makeCertificate(world.platformCa), pck: makeCertificate(world.pck), tcbSigning: makeCertificate(world.tcbSigning),
  };
  const pem = (der: Buffer): string => writePem('CERTIFICATE', der);
  const chain = pem(certificates.pck) + pem(certificates.platformCa) + pem(certificates.root);
  const quote = world.finish(makeQuote(world.quote, world.pck.key, chain, world.tampering));
  return {
    quote, info: infoOf(quote), files: collateralFiles(world, certificates), trustRoot: { fingerprint: sha256(certificates.root) }, date: world.date, certificates,
  };
}

/** The info of an attestation: base64 of brotli. */
export function infoOf(quote: Buffer): string {
  return brotliCompressSync(quote, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).toString('base64');
}

/** The files by the names that a person would give them. */
function collateralFiles(world: TestWorld, certificates: BuiltWorld['certificates']): CollateralFile[] {
  const signed = (key: string, body: object): string => {
    const text = JSON.stringify(body);
    return `{"${key}":${text},"signature":"${signRaw(world.documentSigner, Buffer.from(text)).toString('hex')}"}`;
  };
  const chain = (...ders: Buffer[]): string => ders.map((der) => writePem('CERTIFICATE', der)).join('');
  const file = (name: string, content: string | Buffer): CollateralFile => ({ name, bytes: Buffer.from(content) });
  return [
    file('rootCrl.der', makeCrl(world.rootCrl)),
    file('pckCrl.pem', writePem('X509 CRL', makeCrl(world.pckCrl))),
    file('pckCrlIssuerChain.pem', chain(certificates.platformCa, certificates.root)),
    file('tcbInfo.json', signed('tcbInfo', world.tcbInfo)),
    // As the HTTP header carries it.
    file('tcbInfoIssuerChain.txt', encodeURIComponent(chain(certificates.tcbSigning, certificates.root))),
    file('qeIdentity.json', signed('enclaveIdentity', world.qeIdentity)),
  ];
}

/** What the built world is judged by, by default as leniently as possible. */
export function judgementOf(built: BuiltWorld, policy: Partial<AttestationPolicy> = {}): Judgement {
  return {
    collateral: parseCollateral(built.files), trustRoot: built.trustRoot, date: built.date,
    policy: { acceptedStatuses: tcbPolicies.lenient, allowList: null, ...policy },
  };
}
