import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  BasicConstraints, Certificate as X509, KeyUsage, KeyUsageFlags, id_ce_authorityKeyIdentifier, id_ce_basicConstraints, id_ce_cRLDistributionPoints,
  id_ce_keyUsage, id_ce_subjectKeyIdentifier, type AlgorithmIdentifier, type Extension, type Name,
} from '@peculiar/asn1-x509';
import type { Certificate } from './certificate.ts';
import { requireEnvelope } from './envelope.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';

export const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
export const sgxExtensionId = '1.2.840.113741.1.13.1';
const commonNameId = '2.5.4.3';
/** Extensions that this code either enforces or can ignore because they do not affect path validation. */
const known = new Set([id_ce_basicConstraints, id_ce_keyUsage, id_ce_authorityKeyIdentifier, id_ce_subjectKeyIdentifier, id_ce_cRLDistributionPoints, sgxExtensionId]);
const maxDerBytes = 16 * 1024;

/**
 * Parses an X.509 certificate and rejects anything outside the profile of Intel's chains: keys other than P-256, signatures other
 * than ECDSA with SHA-256, duplicate extensions (RFC 5280, section 4).
 * @throws UnreadableCertificate
 */
export function parseCertificate(der: Buffer): Certificate {
  if (der.length > maxDerBytes) throw new UnreadableCertificate(`its size of ${der.length} bytes exceeds ${maxDerBytes}`);
  requireEnvelope(der);
  const { tbsCertificate: tbs, tbsCertificateRaw, signatureAlgorithm, signatureValue } = decoded(() => AsnConvert.parse(der, X509));
  requireEcdsa(signatureAlgorithm, tbs.signature);
  const extensions = byId(tbs.extensions ?? []);
  const constraints = extensions.get(id_ce_basicConstraints);
  const basic = constraints === undefined ? null : decoded(() => AsnConvert.parse(constraints.extnValue.buffer, BasicConstraints));
  const usage = keyUsage(extensions);
  return {
    der,
    fingerprint: sha256(der),
    serial: Buffer.from(tbs.serialNumber).toString('hex'),
    subject: nameBytes(tbs.subject),
    issuer: nameBytes(tbs.issuer),
    commonName: commonNameOf(tbs.subject),
    notBefore: timeOf(tbs.validity.notBefore.getTime()),
    notAfter: timeOf(tbs.validity.notAfter.getTime()),
    publicKey: p256Key(Buffer.from(decoded(() => AsnConvert.serialize(tbs.subjectPublicKeyInfo)))),
    authority: basic?.cA === true,
    pathLength: basic?.pathLenConstraint ?? null,
    maySignCertificates: (usage & KeyUsageFlags.keyCertSign) !== 0,
    maySignCrls: (usage & KeyUsageFlags.cRLSign) !== 0,
    unknownCritical: [...extensions].filter(([id, { critical }]) => critical && !known.has(id)).map(([id]) => id),
    sgxExtension: contentOf(extensions.get(sgxExtensionId)),
    signed: { bytes: rawBytes(tbsCertificateRaw), signature: Buffer.from(signatureValue) },
  };
}

/** Runs a decoder on untrusted bytes and converts every error to UnreadableCertificate. */
export function decoded<Result>(decode: () => Result): Result {
  try {
    return decode();
  } catch (error) {
    throw new UnreadableCertificate(`it is not a DER certificate (${error instanceof Error ? error.message : String(error)})`);
  }
}

export function requireEcdsa(outer: AlgorithmIdentifier, inner: AlgorithmIdentifier): void {
  for (const { algorithm } of [outer, inner]) {
    if (algorithm !== ecdsaWithSha256) throw new UnreadableCertificate(`it is signed with the algorithm ${algorithm}, not with ECDSA and SHA-256`);
  }
}

export function byId(extensions: Iterable<Extension>): Map<string, Extension> {
  const found = new Map<string, Extension>();
  for (const extension of extensions) {
    if (found.has(extension.extnID)) throw new UnreadableCertificate(`it has the extension ${extension.extnID} twice`);
    found.set(extension.extnID, extension);
  }
  return found;
}

export function nameBytes(name: Name): string {
  return Buffer.from(decoded(() => AsnConvert.serialize(name))).toString('hex');
}

export function commonNameOf(name: Name): string {
  for (const part of name) {
    for (const { type, value } of part) if (type === commonNameId) return value.toString();
  }
  return '';
}

export function timeOf(date: Date): number {
  const time = date.getTime();
  if (!Number.isFinite(time)) throw new UnreadableCertificate('it has an invalid date');
  return time;
}

function rawBytes(raw: ArrayBuffer | undefined): Buffer {
  if (raw === undefined) throw new UnreadableCertificate('its signed part is missing');
  return Buffer.from(raw);
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function contentOf(extension: Extension | undefined): Buffer | null {
  return extension === undefined ? null : Buffer.from(extension.extnValue.buffer);
}

function keyUsage(extensions: Map<string, Extension>): number {
  const extension = extensions.get(id_ce_keyUsage);
  return extension === undefined ? 0 : decoded(() => AsnConvert.parse(extension.extnValue.buffer, KeyUsage).toNumber());
}

function p256Key(spki: Buffer): KeyObject {
  const key = decoded(() => createPublicKey({ key: spki, format: 'der', type: 'spki' }));
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
    throw new UnreadableCertificate(`its key type is ${key.asymmetricKeyType ?? 'unknown'}, not a P-256 key`);
  }
  return key;
}
