import type { SectionContent } from './sectionFile.ts';

const pieceStrings = 65_536;

/**
 * Encodes a list of strings as two sections: the start of each string (count + 1 byte offsets), and the concatenated UTF-8
 * bytes.
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

/**
 * Strings are encoded one by one, because joining could merge a lone surrogate at the end of one string with a lone surrogate
 * at the start of the next string.
 */
function* encodePieces(strings: readonly string[], offsets: Float64Array): Iterable<Uint8Array> {
  for (let start = 0; start < strings.length; start += pieceStrings) {
    const end = Math.min(strings.length, start + pieceStrings);
    const from = offsets[start] ?? 0;
    const piece = Buffer.alloc((offsets[end] ?? 0) - from);
    for (let at = start; at < end; at += 1) piece.write(strings[at] ?? '', (offsets[at] ?? 0) - from, 'utf8');
    yield piece;
  }
}
