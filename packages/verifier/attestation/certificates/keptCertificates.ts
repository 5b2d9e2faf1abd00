import type { Certificate } from './certificate.ts';
import { parseCertificate, sha256 } from './parseCertificate.ts';

/** Size of the cache. Intel has a handful of authorities; certificates of strangers replace each other. */
const maxCertificates = 64;
const kept = new Map<string, Certificate>();

/**
 * As parseCertificate, for certificates that come again and again: authorities and signers of documents stand behind thousands
 * of quotes, and reading one takes 1.3 ms of the 4 that a quote would take.
 * @throws UnreadableCertificate
 */
export function keptCertificate(der: Buffer): Certificate {
  const fingerprint = sha256(der);
  const known = kept.get(fingerprint);
  if (known !== undefined) return known;
  const parsed = parseCertificate(der);
  const [oldest] = kept.keys();
  if (kept.size >= maxCertificates && oldest !== undefined) kept.delete(oldest);
  kept.set(fingerprint, parsed);
  return parsed;
}
