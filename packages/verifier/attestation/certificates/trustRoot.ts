/** The certificate that everything must lead to, by the SHA-256 of its DER: 64 lower-case hex digits. */
export interface TrustRoot {
  fingerprint: string;
}

/** Intel SGX Root CA, valid 2018-05-21 to 2049-12-31; it ends every issuer chain that Intel's service answers with. */
export const intelTrustRoot: TrustRoot = { fingerprint: '44a0196b2b99f889b8e149e95b807a350e7424964399e885a7cbb8ccfab674d3' };

/**
 * A trust root from what people write: 64 hex digits, with or without colons.
 * @returns null where it is not that
 */
export function parseTrustRoot(text: string): TrustRoot | null {
  const fingerprint = text.replaceAll(':', '').trim().toLowerCase();
  return /^[0-9a-f]{64}$/.test(fingerprint) ? { fingerprint } : null;
}
