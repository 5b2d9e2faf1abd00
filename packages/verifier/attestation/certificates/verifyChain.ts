import { isSignedBy, isWithin, type Certificate } from './certificate.ts';
import type { TrustRoot } from './trustRoot.ts';

export interface PckChain {
  leaf: Certificate;
  authority: Certificate;
  root: Certificate;
}

interface ChainFault {
  reason: 'root-not-trusted' | 'chain-broken' | 'certificate-outside-validity';
  sentence: string;
}

/** Intel's two intermediate CAs for platform certificates: one for multi-package platforms, one for all others. */
export const pckAuthorities = { platform: 'Intel SGX PCK Platform CA', processor: 'Intel SGX PCK Processor CA' } as const;
export type PckAuthority = (typeof pckAuthorities)[keyof typeof pckAuthorities];
const authorityNames: readonly string[] = Object.values(pckAuthorities);
const leafName = 'Intel SGX PCK Certificate';
export const tcbSigningName = 'Intel SGX TCB Signing';

/**
 * Verifies the certificate path of a platform (RFC 5280, section 6, restricted to three certificates): the root is the trusted root,
 * each certificate signed the next one, CA constraints hold, and all three are valid at the date. Revocation is not checked here.
 * @returns null if the path is valid
 */
export function verifyPckChain({ leaf, authority, root }: PckChain, trustRoot: TrustRoot, date: Date): ChainFault | null {
  const broken = (sentence: string): ChainFault => ({ reason: 'chain-broken', sentence });
  const issued = rootFault(root, trustRoot) ?? issueFault(authority, root) ?? issueFault(leaf, authority);
  if (issued !== null) return issued;
  if (!authorityNames.includes(authority.commonName)) return broken(`The intermediate certificate is “${authority.commonName}”, which is not one of ${authorityNames.join(', ')}.`);
  if (leaf.commonName !== leafName) return broken(`The platform certificate is “${leaf.commonName}”, not “${leafName}”.`);
  if (leaf.authority) return broken('The platform certificate is itself a certificate authority.');
  return [root, authority, leaf].map((certificate) => validityFault(certificate, date)).find((fault) => fault !== null) ?? null;
}

export function rootFault(root: Certificate, trustRoot: TrustRoot): ChainFault | null {
  return root.fingerprint === trustRoot.fingerprint
    ? null
    : { reason: 'root-not-trusted', sentence: `The chain ends at “${root.commonName}” with the SHA-256 ${root.fingerprint}, not at the trusted root ${trustRoot.fingerprint}.` };
}

/** Checks that `issuer` issued `certificate` and was allowed to. Validity dates are not checked. @returns null if there is no fault */
export function issueFault(certificate: Certificate, issuer: Certificate): ChainFault | null {
  const broken = (sentence: string): ChainFault => ({ reason: 'chain-broken', sentence });
  if (certificate.issuer !== issuer.subject) return broken(`The issuer of “${certificate.commonName}” is not “${issuer.commonName}”.`);
  if (!issuer.authority || !issuer.maySignCertificates) return broken(`“${issuer.commonName}” is not allowed to issue certificates.`);
  if (certificate.authority && issuer.pathLength === 0) return broken(`“${issuer.commonName}” is not allowed to issue certificates of authorities.`);
  if (certificate.unknownCritical.length > 0) return broken(`“${certificate.commonName}” has unknown critical extensions: ${certificate.unknownCritical.join(', ')}.`);
  if (!isSignedBy(certificate.signed, issuer)) return broken(`The signature of “${issuer.commonName}” on “${certificate.commonName}” is invalid.`);
  return null;
}

export function validityFault(certificate: Certificate, date: Date): ChainFault | null {
  if (isWithin(date, certificate)) return null;
  const [from, to] = [certificate.notBefore, certificate.notAfter].map((time) => new Date(time).toISOString());
  return { reason: 'certificate-outside-validity', sentence: `“${certificate.commonName}” is valid from ${from} to ${to}, not at ${date.toISOString()}.` };
}
