import type { Certificate } from './certificate.ts';
import { parseCertificate, sha256 } from './parseCertificate.ts';

/** Capacity of the cache. Intel has fewer than 10 CA certificates; quotes can carry any others, so the oldest entry is evicted. */
const maxCertificates = 64;
const kept = new Map<string, Certificate>();

/**
 * Parses a certificate like parseCertificate, with a cache. CA and document-signing certificates recur in thousands of quotes, and
 * parsing one takes 1.3 ms of the 4 ms that a quote would take.
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
