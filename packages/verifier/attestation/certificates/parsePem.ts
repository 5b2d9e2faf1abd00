import { decodeBase64 } from './decodeBase64.ts';

interface PemBlock {
  label: string;
  der: Buffer;
}

/**
 * Parses the blocks of a PEM text, in order (RFC 7468).
 * @param maxBlocks a text with more blocks is rejected
 * @param between what may surround the blocks: 'any text', because tools write descriptions there, or only 'white space'
 * @returns null if a block has no end, a block is not base64, there are too many blocks, or text surrounds the blocks and `between` forbids it
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
