/** CRC-32C (Castagnoli, RFC 3720 appendix B.4), the checksum of Google's KMS. Node's zlib.crc32 uses another polynomial. */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ table[(rest ^ byte) & 0xff]!;
  return (rest ^ 0xffffffff) >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0x82f63b78 : 0);
  return rest;
});
