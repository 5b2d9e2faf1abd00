import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Certificate } from './certificates/certificate.ts';
import type { Quote } from './quote/quote.ts';
import type { Trail } from './trail.ts';

/**
 * Verifies the three links from the platform's certificate to the enclave's report: the signature on the quoting enclave's report,
 * the hash of the attestation key in this report, and the signature on the quote. A broken link means that the quote is forged.
 */
export function verifySignatures(quote: Quote, leaf: Certificate, trail: Trail): void {
  const platform = { 'platform certificate': leaf.serial, 'signature': quote.qeReportSignature.toString('hex') };
  if (!isSigned(quote.qeReport.bytes, leaf.publicKey, quote.qeReportSignature)) {
    trail.refuse('qe-report', 'qe-report-forged', 'The signature of the platform key on the report of the quoting enclave is invalid.', platform);
  }
  trail.passed('qe-report', platform);
  verifyBinding(quote, trail);
  const key = { 'attestation key': quote.attestationKey.toString('hex'), signature: quote.signature.toString('hex') };
  const attestationKey = publicKeyOf(quote.attestationKey);
  if (attestationKey === null || !isSigned(quote.signed, attestationKey, quote.signature)) {
    const why = attestationKey === null ? 'The attestation key is not a point of the curve P-256.' : 'The signature of the attestation key on the quote is invalid.';
    trail.refuse('signature', 'quote-forged', why, key);
  }
  trail.passed('signature', key);
}

/** The quoting enclave's report data must start with SHA-256 of the attestation key and the authentication data. */
function verifyBinding({ attestationKey, qeAuthenticationData, qeReport }: Quote, trail: Trail): void {
  const expected = createHash('sha256').update(attestationKey).update(qeAuthenticationData).digest();
  const values = {
    'expected report data': expected.toString('hex'), 'found report data': qeReport.reportData.toString('hex'),
    'authentication data': qeAuthenticationData.toString('hex'),
  };
  if (!qeReport.reportData.subarray(0, 32).equals(expected)) {
    trail.refuse('binding', 'attestation-key-unbound', 'The report of the quoting enclave names a different attestation key than the quote.', values);
  }
  trail.passed('binding', values);
}

function isSigned(bytes: Buffer, key: KeyObject, signature: Buffer): boolean {
  return verify('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** Returns null if the bytes are not a point of the curve P-256. */
function publicKeyOf(point: Buffer): KeyObject | null {
  const [x, y] = [point.subarray(0, 32), point.subarray(32, 64)].map((half) => half.toString('base64url'));
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return null;
  }
}
