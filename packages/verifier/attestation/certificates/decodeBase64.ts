/**
 * Bytes of base64 (RFC 4648, section 4): padded, without line breaks, and with zeros in the bits that carry nothing, so that a
 * text has one meaning and a meaning one text.
 * @returns null where it is something else
 */
export function decodeBase64(text: string): Buffer | null {
  if (text.length === 0 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64') === text.slice(-4) ? bytes : null;
}
