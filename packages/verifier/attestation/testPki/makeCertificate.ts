import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier, AttributeTypeAndValue, AttributeValue, BasicConstraints, Certificate, CertificateList, Extension, Extensions, KeyUsage, KeyUsageFlags,
  Name, RelativeDistinguishedName, RevokedCertificate, SubjectPublicKeyInfo, TBSCertList, TBSCertificate, Time, Validity, Version,
  id_ce_basicConstraints, id_ce_keyUsage,
} from '@peculiar/asn1-x509';
import { ecdsaWithSha256, sgxExtensionId } from '../certificates/parseCertificate.ts';
import { signDer, type TestKey } from './keys.ts';
import { makeSgxExtension, type TestPlatform } from './makeSgxExtension.ts';

/** All fields of a certificate. A test changes fields; makeCertificate then signs the result. */
export interface TestCertificate {
  subject: string;
  issuer: string;
  /** Positive integer in hex. */
  serial: string;
  notBefore: Date;
  notAfter: Date;
  key: TestKey;
  signer: TestKey;
  authority: boolean;
  pathLength: number | null;
  /** True for keys that sign certificates and revocation lists, false for keys that sign documents. */
  signsCertificates: boolean;
  platform: TestPlatform | null;
  /** OID of an unsupported critical extension to add, or null. */
  unknownCritical: string | null;
  /** DER made before, returned unchanged if set: each ECDSA signature differs, and a trust root is identified by the hash of its DER. */
  der?: Buffer;
}

export interface TestCrl {
  issuer: string;
  signer: TestKey;
  thisUpdate: Date;
  nextUpdate: Date;
  /** Serial numbers, hex. */
  revoked: readonly string[];
}

const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });

export function makeCertificate(certificate: TestCertificate): Buffer {
  if (certificate.der !== undefined) return certificate.der;
  const tbs = new TBSCertificate({
    version: Version.v3, serialNumber: bufferOf(Buffer.from(certificate.serial, 'hex')), signature: algorithm,
    issuer: makeName(certificate.issuer), subject: makeName(certificate.subject),
    validity: new Validity({ notBefore: certificate.notBefore, notAfter: certificate.notAfter }),
    subjectPublicKeyInfo: AsnConvert.parse(certificate.key.spki, SubjectPublicKeyInfo),
    extensions: new Extensions(makeExtensions(certificate)),
  });
  const signature = signDer(certificate.signer, Buffer.from(AsnConvert.serialize(tbs)));
  return Buffer.from(AsnConvert.serialize(new Certificate({ tbsCertificate: tbs, signatureAlgorithm: algorithm, signatureValue: bufferOf(signature) })));
}

export function makeCrl({ issuer, signer, thisUpdate, nextUpdate, revoked }: TestCrl): Buffer {
  const list = new TBSCertList({
    version: Version.v2, signature: algorithm, issuer: makeName(issuer), thisUpdate: new Time(thisUpdate), nextUpdate: new Time(nextUpdate),
    ...(revoked.length > 0 && { revokedCertificates: revoked.map((serial) => new RevokedCertificate({ userCertificate: bufferOf(Buffer.from(serial, 'hex')), revocationDate: new Time(thisUpdate) })) }),
  });
  const signature = signDer(signer, Buffer.from(AsnConvert.serialize(list)));
  return Buffer.from(AsnConvert.serialize(new CertificateList({ tbsCertList: list, signatureAlgorithm: algorithm, signature: bufferOf(signature) })));
}

function makeExtensions({ authority, pathLength, signsCertificates, platform, unknownCritical }: TestCertificate): Extension[] {
  const usage = signsCertificates ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation;
  const constraints = new BasicConstraints({ cA: authority, ...(pathLength !== null && { pathLenConstraint: pathLength }) });
  return [
    extension(id_ce_keyUsage, true, AsnConvert.serialize(new KeyUsage(usage))),
    extension(id_ce_basicConstraints, true, AsnConvert.serialize(constraints)),
    ...(platform === null ? [] : [extension(sgxExtensionId, false, bufferOf(makeSgxExtension(platform)))]),
    ...(unknownCritical === null ? [] : [extension(unknownCritical, true, new Uint8Array([0x05, 0x00]).buffer)]),
  ];
}

function extension(extnID: string, critical: boolean, value: ArrayBuffer): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(value) });
}

function makeName(commonName: string): Name {
  const parts: [string, string][] = [['2.5.4.3', commonName], ['2.5.4.10', 'Intel Corporation'], ['2.5.4.7', 'Santa Clara'], ['2.5.4.8', 'CA'], ['2.5.4.6', 'US']];
  return new Name(parts.map(([type, value]) => new RelativeDistinguishedName([
    new AttributeTypeAndValue({ type, value: new AttributeValue(type === '2.5.4.6' ? { printableString: value } : { utf8String: value }) }),
  ])));
}

function bufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
