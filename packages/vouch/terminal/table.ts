import { displayWidth, shortenToWidth } from './displayWidth.ts';

/** Columns of the terminal. */
const widestCell = 80;

/** Formats a table as text: a title, a header, and cells padded to the column width. Numbers are right-aligned. */
export function formatTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => shortenToWidth(printable(String(cell)), widestCell)));
  const widths = columns.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => displayWidth(row[column] ?? ''))),
  );
  const toTheRight = columns.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]+ ?%?$/.test(String(row[column]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(Math.max(0, widths[column]! - displayWidth(cell)));
        return toTheRight[column] ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [title, line(columns), rule, ...cells.map((row) => line(row))].filter((text) => text !== '').join('\n');
}

/**
 * Replaces control characters, and leaves out embeddings and overrides: names from uploads could otherwise move the terminal's cursor, change its title,
 * or reorder the row.
 */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�').replaceAll(/[\u202A-\u202E\u2066\u2067]/gu, '');
}
