/**
 * Decodes base64 (RFC 4648, section 4) in canonical form only: padding is required, line breaks and nonzero unused bits are
 * rejected. Each byte string therefore has exactly one accepted encoding.
 * @returns null if the text is not canonical base64
 */
export function decodeBase64(text: string): Buffer | null {
  if (text.length === 0 || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64');
  return bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64') === text.slice(-4) ? bytes : null;
}
