import { brotliDecompressSync, type BrotliOptions } from 'node:zlib';
import { keccak256 } from '@vouch/chain/messages/keccak256';
import { decodeBase64 } from './certificates/decodeBase64.ts';

/** Maximum length of an info in characters. The info of a 5 KB quote has about 5,500 characters. */
export const maxInfoCharacters = 128 * 1024;
/** Maximum size of a decompressed quote in bytes, so that a small info cannot expand into large memory. */
export const maxQuoteBytes = 64 * 1024;

type DecodedInfo =
  | { quote: Buffer; compressedBytes: number }
  | { fault: 'info-too-large' | 'info-not-base64' | 'info-not-brotli'; sentence: string };

/**
 * Computes the id that identifies an attestation on-chain: keccak256 of the info's bytes (UTF-8 for a string).
 * @returns 0x and 64 hex digits
 */
export function attestationIdOf(info: string | Uint8Array): `0x${string}` {
  return `0x${Buffer.from(keccak256(typeof info === 'string' ? Buffer.from(info, 'utf8') : info)).toString('hex')}`;
}

/**
 * Decodes an info into the bytes of its quote. An info is base64 (RFC 4648 with padding, without line breaks) of exactly one brotli stream.
 * maxInfoCharacters and maxQuoteBytes bound time and memory for any input.
 */
export function decodeInfo(info: string): DecodedInfo {
  if (info.length > maxInfoCharacters) {
    return { fault: 'info-too-large', sentence: `The info has ${info.length} characters; a quote has fewer than ${maxInfoCharacters}.` };
  }
  const compressed = decodeBase64(info);
  if (compressed === null) return { fault: 'info-not-base64', sentence: `The info (${info.length} characters) is not base64 with padding.` };
  try {
    const { quote, read } = decompress(compressed);
    const rest = compressed.length - read;
    if (rest > 0) return { fault: 'info-not-brotli', sentence: `${rest} bytes follow the brotli stream of ${read} bytes.` };
    return { quote, compressedBytes: compressed.length };
  } catch (error) {
    if (error instanceof RangeError) {
      return { fault: 'info-too-large', sentence: `The decompressed info exceeds ${maxQuoteBytes} bytes, the maximum size of a quote.` };
    }
    return { fault: 'info-not-brotli', sentence: `The ${compressed.length} decoded bytes are not a brotli stream.` };
  }
}

/**
 * Decompresses one brotli stream. zlib ignores bytes after its end; the decoders of Google and of Go reject them, and nodes must agree.
 * @returns the content, and the number of bytes of the stream
 */
function decompress(compressed: Buffer): { quote: Buffer; read: number } {
  // The types of Node know neither the option nor its result.
  const options: BrotliOptions & { info: true } = { maxOutputLength: maxQuoteBytes, info: true };
  const { buffer, engine } = brotliDecompressSync(compressed, options) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
  return { quote: buffer, read: engine.bytesWritten };
}
