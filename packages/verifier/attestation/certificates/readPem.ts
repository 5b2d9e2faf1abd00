export interface PemBlock {
  label: string;
  der: Buffer;
}

/**
 * The blocks of a PEM text, in their order (RFC 7468). Text between them is passed over, as tools write it there.
 * @param most more blocks than that are refused
 * @returns null where a block does not end, is no base64, or there are too many
 */
export function readPem(text: string, most: number): PemBlock[] | null {
  const blocks: PemBlock[] = [];
  for (const part of text.split('-----BEGIN ').slice(1)) {
    if (blocks.length === most) return null;
    const labelEnd = part.indexOf('-----');
    const label = part.slice(0, labelEnd);
    const end = part.indexOf(`-----END ${label}-----`);
    if (labelEnd < 0 || end < 0) return null;
    const body = part.slice(labelEnd + 5, end).replace(/[\r\n\t ]/g, '');
    if (body.length === 0 || body.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(body)) return null;
    blocks.push({ label, der: Buffer.from(body, 'base64') });
  }
  return blocks;
}
