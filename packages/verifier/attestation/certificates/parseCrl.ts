import { AsnConvert } from '@peculiar/asn1-schema';
import { CertificateList, id_ce_authorityKeyIdentifier, id_ce_cRLNumber } from '@peculiar/asn1-x509';
import type { Crl } from './certificate.ts';
import { byId, commonNameOf, decoded, nameBytes, rawBytes, requireEcdsa, sha256, timeOf, UnreadableCertificate } from './parseCertificate.ts';

const known = new Set<string>([id_ce_authorityKeyIdentifier, id_ce_cRLNumber]);

/**
 * Reads a whole revocation list; one that covers only a part (a critical extension says so) is refused, since its silence
 * about a certificate would say nothing (RFC 5280, section 5).
 * @throws UnreadableCertificate
 */
export function parseCrl(der: Buffer): Crl {
  const { tbsCertList: list, tbsCertListRaw, signatureAlgorithm, signature } = decoded(() => AsnConvert.parse(der, CertificateList));
  requireEcdsa(signatureAlgorithm, list.signature);
  if (list.nextUpdate === undefined) throw new UnreadableCertificate('it does not say when the next list comes');
  for (const [id, { critical }] of byId(list.crlExtensions ?? [])) {
    if (critical && !known.has(id)) throw new UnreadableCertificate(`it has the critical extension ${id}, so it may not cover every certificate`);
  }
  return {
    fingerprint: sha256(der),
    issuer: nameBytes(list.issuer),
    issuerName: commonNameOf(list.issuer),
    thisUpdate: timeOf(list.thisUpdate.getTime()),
    nextUpdate: timeOf(list.nextUpdate.getTime()),
    revoked: new Set((list.revokedCertificates ?? []).map(({ userCertificate }) => Buffer.from(userCertificate).toString('hex'))),
    signed: { bytes: rawBytes(tbsCertListRaw), signature: Buffer.from(signature) },
  };
}
