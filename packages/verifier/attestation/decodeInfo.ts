import { brotliDecompressSync } from 'node:zlib';
import { keccak256 } from '@vouch/chain/messages/keccak256';
import { decodeBase64 } from './certificates/decodeBase64.ts';

/** Characters of an info. A quote of 5 KB is about 5,500 of them; what is longer by an order is no quote. */
export const maxInfoCharacters = 128 * 1024;
/** Bytes of a quote behind the compression, so that a small info cannot unfold into memory. */
export const maxQuoteBytes = 64 * 1024;

type DecodedInfo =
  | { quote: Buffer; compressedBytes: number }
  | { fault: 'info-too-large' | 'info-not-base64' | 'info-not-brotli'; sentence: string };

/** The id that the chain knows an attestation by: keccak256 of the info's bytes, of a text those of UTF-8, as 0x and 64 hex digits. */
export function attestationIdOf(info: string | Uint8Array): `0x${string}` {
  return `0x${Buffer.from(keccak256(typeof info === 'string' ? Buffer.from(info, 'utf8') : info)).toString('hex')}`;
}

/**
 * The bytes of the quote in an info: base64 (RFC 4648 with padding, no line breaks) of a brotli stream. Time and memory are
 * bounded by maxInfoCharacters and maxQuoteBytes, whatever the text is.
 */
export function decodeInfo(info: string): DecodedInfo {
  if (info.length > maxInfoCharacters) {
    return { fault: 'info-too-large', sentence: `The info has ${info.length} characters; a quote needs less than ${maxInfoCharacters}.` };
  }
  const compressed = decodeBase64(info);
  if (compressed === null) return { fault: 'info-not-base64', sentence: `The info (${info.length} characters) is not base64 with padding.` };
  try {
    return { quote: brotliDecompressSync(compressed, { maxOutputLength: maxQuoteBytes }), compressedBytes: compressed.length };
  } catch (error) {
    if (error instanceof RangeError) {
      return { fault: 'info-too-large', sentence: `The info unfolds into more than ${maxQuoteBytes} bytes, which no quote has.` };
    }
    return { fault: 'info-not-brotli', sentence: `The ${compressed.length} bytes behind the base64 are not a brotli stream.` };
  }
}
