/** DER of a file that is DER or PEM. */
export function derContentOf(bytes: Buffer): Buffer {
  return bytes[0] === 0x30 ? bytes : Buffer.from(bytes.toString('latin1').replace(/-----[^-]+-----|\s/g, ''), 'base64');
}
