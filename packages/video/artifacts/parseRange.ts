import type { ByteRange } from '@vouch/platform/blobs/blobs';

/**
 * Parses a `Range` header (RFC 9110 §14.2) for content of a known size. Multiple ranges, other units and invalid values are
 * ignored, as the RFC allows; the answer is then the whole content.
 * @returns the range; null for the whole content; `unsatisfiable` if the range is outside the content
 */
export function parseRange(header: string | undefined, bytes: number): ByteRange | null | 'unsatisfiable' {
  const found = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/.exec(header ?? '');
  const [, first = '', last = ''] = found ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= bytes) return 'unsatisfiable';
  return { start, end: last === '' ? bytes : Math.min(Number(last) + 1, bytes) };
}
