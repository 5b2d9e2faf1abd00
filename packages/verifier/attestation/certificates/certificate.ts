import { verify, type KeyObject } from 'node:crypto';

/** An X.509 certificate with an ECDSA P-256 key, as far as paths of Intel's need it. */
export interface Certificate {
  der: Buffer;
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  serial: string;
  /** DER of the names as hex, for comparison. */
  subject: string;
  issuer: string;
  commonName: string;
  notBefore: number;
  notAfter: number;
  publicKey: KeyObject;
  authority: boolean;
  /** How many authorities may stand below it; null for any number. */
  pathLength: number | null;
  maySignCertificates: boolean;
  maySignCrls: boolean;
  /** OIDs of critical extensions that are not understood here. */
  unknownCritical: readonly string[];
  /** DER of Intel's extension with the platform's facts, where there is one. */
  sgxExtension: Buffer | null;
  signed: Signed;
}

/** A certificate revocation list. */
export interface Crl {
  /** SHA-256 of the DER, lower-case hex. */
  fingerprint: string;
  issuer: string;
  issuerName: string;
  thisUpdate: number;
  nextUpdate: number;
  /** Serial numbers, hex as in Certificate. */
  revoked: ReadonlySet<string>;
  signed: Signed;
}

/** Bytes with an ECDSA signature of SHA-256 in DER. */
export interface Signed {
  bytes: Buffer;
  signature: Buffer;
}

const verified = new WeakMap<Signed, Map<string, boolean>>();

/**
 * Whether a certificate's key made the signature. The answer is kept for as long as the signed thing lives, since the same
 * lists and documents stand behind thousands of quotes.
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
