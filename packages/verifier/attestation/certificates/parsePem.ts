import { decodeBase64 } from './decodeBase64.ts';

interface PemBlock {
  label: string;
  der: Buffer;
}

/**
 * The blocks of a PEM text, in their order (RFC 7468).
 * @param maxBlocks more blocks than that are refused
 * @param between whether other text may stand around them, as tools write it there
 * @returns null where a block does not end, is no base64, there are too many, or something stands where nothing may
 */
export function parsePem(text: string, maxBlocks: number, between: 'any text' | 'white space'): PemBlock[] | null {
  const blocks: PemBlock[] = [];
  const [before = '', ...parts] = text.split('-----BEGIN ');
  const outside = [before];
  for (const part of parts) {
    if (blocks.length === maxBlocks) return null;
    const labelEnd = part.indexOf('-----');
    const label = part.slice(0, labelEnd);
    const endMark = `-----END ${label}-----`;
    const end = part.indexOf(endMark);
    if (labelEnd < 0 || end < 0) return null;
    const der = decodeBase64(part.slice(labelEnd + 5, end).replace(/[\r\n\t ]/g, ''));
    if (der === null) return null;
    blocks.push({ label, der });
    outside.push(part.slice(end + endMark.length));
  }
  return between === 'any text' || outside.every((rest) => /^[\r\n\t ]*$/.test(rest)) ? blocks : null;
}
