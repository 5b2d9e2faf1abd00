import { UnreadableCertificate } from './unreadableCertificate.ts';

export interface DerItem {
  tag: number;
  content: Buffer;
  /** The encoded item: tag, length and content. */
  whole: Buffer;
}

export const derTags = { integer: 0x02, bits: 0x03, octets: 0x04, objectId: 0x06, enumerated: 0x0a, utcTime: 0x17, generalizedTime: 0x18, sequence: 0x30, context0: 0xa0 } as const;

/**
 * Splits DER into its consecutive items. Only single-byte tags and definite lengths of at most 3 bytes are supported.
 * @throws UnreadableCertificate if an item is malformed or exceeds the input
 */
export function derItems(bytes: Buffer): DerItem[] {
  const items: DerItem[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes[at] as number;
    const first = bytes[at + 1];
    if (first === undefined) throw new UnreadableCertificate('an item has no length');
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    if (lengthBytes > 3 || first === 0x80 || at + 2 + lengthBytes > bytes.length) throw new UnreadableCertificate('an item has an invalid length');
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    const start = at + 2 + lengthBytes;
    if (start + length > bytes.length) throw new UnreadableCertificate('an item exceeds the input');
    items.push({ tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) });
    at = start + length;
  }
  return items;
}

/** Returns the content of DER that consists of exactly one item with the given tag. @throws UnreadableCertificate */
export function derContent(bytes: Buffer, tag: number): Buffer {
  const [item, ...others] = derItems(bytes);
  if (item === undefined || others.length > 0 || item.tag !== tag) throw new UnreadableCertificate(`an item of kind ${tag} is missing`);
  return item.content;
}
