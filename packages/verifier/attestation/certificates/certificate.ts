import { verify, type KeyObject } from 'node:crypto';

/** An X.509 certificate with an ECDSA P-256 key: the fields that Intel's certificate paths need. Times are milliseconds since 1970. */
export interface Certificate {
  der: Buffer;
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  serial: string;
  /** DER of the subject and issuer names in hex, for comparison. */
  subject: string;
  issuer: string;
  commonName: string;
  notBefore: number;
  notAfter: number;
  publicKey: KeyObject;
  authority: boolean;
  /** Maximum number of CA certificates below this certificate; null if unlimited. */
  pathLength: number | null;
  maySignCertificates: boolean;
  maySignCrls: boolean;
  /** OIDs of critical extensions that this parser does not support. */
  unknownCritical: readonly string[];
  /** DER of Intel's SGX extension, which describes the platform; null if the certificate has none. */
  sgxExtension: Buffer | null;
  signed: Signed;
}

/** A certificate revocation list. Times are milliseconds since 1970. */
export interface Crl {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  issuer: string;
  issuerName: string;
  thisUpdate: number;
  nextUpdate: number;
  /** Serial numbers of revoked certificates, in hex as in Certificate. */
  revoked: ReadonlySet<string>;
  signed: Signed;
}

/** Signed bytes with their ECDSA-SHA256 signature in DER. */
export interface Signed {
  bytes: Buffer;
  signature: Buffer;
}

const verified = new WeakMap<Signed, Map<string, boolean>>();

/**
 * Verifies a signature with the public key of a certificate. The result is cached for the lifetime of the `signed` object,
 * because the same revocation lists and documents are used for thousands of quotes.
 */
export function isSignedBy(signed: Signed, signer: Certificate): boolean {
  let answers = verified.get(signed);
  if (answers === undefined) verified.set(signed, (answers = new Map()));
  let answer = answers.get(signer.fingerprint);
  if (answer === undefined) answers.set(signer.fingerprint, (answer = verify('sha256', signed.bytes, signer.publicKey, signed.signature)));
  return answer;
}

export function isWithin(date: Date, { notBefore, notAfter }: Pick<Certificate, 'notBefore' | 'notAfter'>): boolean {
  return date.getTime() >= notBefore && date.getTime() <= notAfter;
}
