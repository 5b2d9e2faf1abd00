import { AsnConvert } from '@peculiar/asn1-schema';
import { AlgorithmIdentifier, Extensions, Name, Time, id_ce_authorityKeyIdentifier, id_ce_cRLNumber } from '@peculiar/asn1-x509';
import type { Crl } from './certificate.ts';
import { derContent, derItems, derTags, type DerItem } from './derItems.ts';
import { byId, commonNameOf, decoded, nameBytes, requireEcdsa, sha256, timeOf } from './parseCertificate.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';

const known = new Set<string>([id_ce_authorityKeyIdentifier, id_ce_cRLNumber]);

/**
 * Parses a complete revocation list. A partial list (marked by a critical extension) is rejected: a certificate missing from such a
 * list could still be revoked (RFC 5280, section 5). The entries are parsed by derItems, because the general ASN.1 decoder stops at
 * 10,000 items, about 1,200 revoked certificates.
 * @throws UnreadableCertificate
 */
export function parseCrl(der: Buffer): Crl {
  const [list, algorithm, signature, ...others] = derItems(derContent(der, derTags.sequence));
  if (list?.tag !== derTags.sequence || algorithm === undefined || signature?.tag !== derTags.bits || others.length > 0) throw notAList();
  const fields = parseList(list.content);
  requireEcdsa(parsed(algorithm, AlgorithmIdentifier), parsed(fields.algorithm, AlgorithmIdentifier));
  const extensions = fields.extensions === null ? [] : decoded(() => AsnConvert.parse(Buffer.from(fields.extensions ?? []), Extensions));
  for (const [id, { critical }] of byId(extensions)) {
    if (critical && !known.has(id)) throw new UnreadableCertificate(`it has the critical extension ${id}, so the list may not cover every certificate`);
  }
  const issuer = parsed(fields.issuer, Name);
  return {
    fingerprint: sha256(der),
    issuer: nameBytes(issuer),
    issuerName: commonNameOf(issuer),
    thisUpdate: timeOf(parsed(fields.thisUpdate, Time).getTime()),
    nextUpdate: timeOf(parsed(fields.nextUpdate, Time).getTime()),
    revoked: fields.revoked,
    // The first byte of a bit string is the number of unused bits.
    signed: { bytes: list.whole, signature: signature.content.subarray(1) },
  };
}

interface ListFields {
  algorithm: DerItem;
  issuer: DerItem;
  thisUpdate: DerItem;
  nextUpdate: DerItem;
  revoked: ReadonlySet<string>;
  extensions: Buffer | null;
}

function parseList(content: Buffer): ListFields {
  const items = derItems(content);
  if (items[0]?.tag === derTags.integer) items.shift();
  const [algorithm, issuer, thisUpdate, nextUpdate, ...rest] = items;
  if (algorithm === undefined || issuer === undefined || !isTime(thisUpdate)) throw notAList();
  if (!isTime(nextUpdate)) throw new UnreadableCertificate('it has no date of the next update');
  const revoked = rest[0]?.tag === derTags.sequence ? rest.shift() : undefined;
  const extensions = rest[0]?.tag === derTags.context0 ? rest.shift() : undefined;
  if (rest.length > 0) throw notAList();
  const serials = revoked === undefined ? [] : derItems(revoked.content).map(serialOf);
  return { algorithm, issuer, thisUpdate, nextUpdate, revoked: new Set(serials), extensions: extensions?.content ?? null };
}

function serialOf({ tag, content }: DerItem): string {
  const [serial] = derItems(content);
  if (tag !== derTags.sequence || serial?.tag !== derTags.integer) throw notAList();
  return serial.content.toString('hex');
}

function isTime(item: DerItem | undefined): item is DerItem {
  return item?.tag === derTags.utcTime || item?.tag === derTags.generalizedTime;
}

function parsed<Shape>({ whole }: DerItem, shape: new () => Shape): Shape {
  return decoded(() => AsnConvert.parse(whole, shape));
}

function notAList(): UnreadableCertificate {
  return new UnreadableCertificate('it is not a DER revocation list');
}
