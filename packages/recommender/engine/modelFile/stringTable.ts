import type { SectionContent } from './sectionFile.ts';

const pieceStrings = 65_536;

/**
 * Two sections for a list of strings: where each one starts (count + 1 byte offsets), and their UTF-8 bytes end to end.
 */
export function encodeStrings(strings: readonly string[]): { offsets: Float64Array; text: SectionContent } {
  const offsets = new Float64Array(strings.length + 1);
  let end = 0;
  for (const [at, string] of strings.entries()) {
    end += Buffer.byteLength(string, 'utf8');
    offsets[at + 1] = end;
  }
  return { offsets, text: { type: 'uint8', length: end, pieces: () => encodePieces(strings, offsets) } };
}

/** Encoded one by one: joined, a lone surrogate at an end and one at the next start would become one character. */
function* encodePieces(strings: readonly string[], offsets: Float64Array): Iterable<Uint8Array> {
  for (let start = 0; start < strings.length; start += pieceStrings) {
    const end = Math.min(strings.length, start + pieceStrings);
    const from = offsets[start] ?? 0;
    const piece = Buffer.alloc((offsets[end] ?? 0) - from);
    for (let at = start; at < end; at += 1) piece.write(strings[at] ?? '', (offsets[at] ?? 0) - from, 'utf8');
    yield piece;
  }
}
