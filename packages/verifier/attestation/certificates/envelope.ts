import { derContent, derItems, derTags } from './derItems.ts';
import { UnreadableCertificate } from './unreadableCertificate.ts';

const ecdsaWithSha256Der = Buffer.from('300a06082a8648ce3d040302', 'hex');

/**
 * Checks the part of a certificate that its signature does not cover: the outer sequence, the algorithm and the bit string of the
 * signature (RFC 5280, section 4.1.1). A decoder that accepts other forms there accepts certificates that others refuse.
 * @throws UnreadableCertificate
 */
export function requireEnvelope(der: Buffer): void {
  const items = derItems(derContent(der, derTags.sequence));
  const [signed, algorithm, signature] = items;
  if (items.length !== 3 || signed?.tag !== derTags.sequence || signature?.tag !== derTags.bits) throw new UnreadableCertificate('it does not consist of a signed part, an algorithm and a signature');
  if (algorithm?.whole.equals(ecdsaWithSha256Der) !== true) throw new UnreadableCertificate('the algorithm of its signature is not exactly ECDSA with SHA-256');
  if (signature.content[0] !== 0) throw new UnreadableCertificate('its signature is not a whole number of bytes');
}
