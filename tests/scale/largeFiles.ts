import { interactionHeader } from '../../packages/recommender/sample/csvText.ts';

const rowsPerPiece = 1_000;

/**
 * Yields an interaction file with exactly `rows` data rows, in pieces and in constant memory.
 * @param changeRow returns a replacement for a row (numbered from 1), or null to keep the row
 */
export function* interactionRows(rows: number, changeRow: (row: number) => string | null = () => null): Generator<string> {
  yield `${interactionHeader}\n`;
  for (let first = 1; first <= rows; first += rowsPerPiece) {
    let piece = '';
    for (let row = first; row < first + rowsPerPiece && row <= rows; row++) {
      piece += changeRow(row) ?? `view,u${row % 50_000},i${row % 9_973},${1_700_000_000 + row},\n`;
    }
    yield piece;
  }
}

/** Yields an interaction file of exactly `bytes` bytes. Each row is valid and about 1 KB long. */
export function* interactionBytes(bytes: number): Generator<string> {
  const row = (length: number): string => {
    const [before, after] = ['view,u1,i1,1700000000,"{""note"":""', '""}"\n'];
    return before + 'x'.repeat(length - before.length - after.length) + after;
  };
  const header = `${interactionHeader}\n`;
  yield header;
  const block = row(1_024).repeat(64);
  let rest = bytes - header.length;
  // The last row fills the remaining bytes: at least 1 KB and less than a block, within the limit of a metadata field.
  for (; rest >= block.length + 1_024; rest -= block.length) yield block;
  for (; rest >= 2_048; rest -= 1_024) yield row(1_024);
  yield row(rest);
}
