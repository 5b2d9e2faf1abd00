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
 * Everything that an attestation test needs, as plain data. Start from makeTestWorld, change any field, then call buildWorld,
 * which signs all parts with the keys in the object.
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
  /** Key that signs TCB info and QE identity: the key of tcbSigning, unless a test forges documents. */
  documentSigner: TestKey;
  quote: TestQuote;
  tampering: QuoteTampering;
  /** Changes the bytes of the finished quote. */
  finish: (quote: Buffer) => Buffer;
}

/** The files and texts made from a TestWorld: the info that a reporter posts and the operator's collateral files. */
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

/** Encodes a quote as an info: base64 of brotli. */
export function infoOf(quote: Buffer): string {
  return brotliCompressSync(quote, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }).toString('base64');
}

/** Names the files as an operator might name them. */
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
    // Percent-encoded, as in the HTTP header of Intel's service.
    file('tcbInfoIssuerChain.txt', encodeURIComponent(chain(certificates.tcbSigning, certificates.root))),
    file('qeIdentity.json', signed('enclaveIdentity', world.qeIdentity)),
  ];
}

/** Returns the verification inputs of a built world, by default with the lenient policy and without an allow-list. */
export function judgementOf(built: BuiltWorld, policy: Partial<AttestationPolicy> = {}): Judgement {
  return {
    collateral: parseCollateral(built.files), trustRoot: built.trustRoot, date: built.date,
    policy: { acceptedStatuses: tcbPolicies.lenient, allowList: null, ...policy },
  };
}
