/** The root certificate that every chain must end at, identified by the SHA-256 of its DER: 64 lower-case hex digits. */
export interface TrustRoot {
  fingerprint: string;
}

/** Intel SGX Root CA, valid from 2018-05-21 to 2049-12-31: the last certificate of every issuer chain from Intel's service. */
export const intelTrustRoot: TrustRoot = { fingerprint: '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3' };

/**
 * Parses a trust root that an operator configured: 64 hex digits in either case, with or without colons.
 * @returns null if the text has another form
 */
export function parseTrustRoot(text: string): TrustRoot | null {
  const fingerprint = text.replaceAll(':', '').trim().toLowerCase();
  return /^[0-9a-f]{64}$/.test(fingerprint) ? { fingerprint } : null;
}
