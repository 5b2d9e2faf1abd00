const widestCell = 80;

/** Formats a table as text: a title, a header, and cells padded to the column width. Numbers are right-aligned. */
export function formatTable(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = rows.map((row) => row.map((cell) => shorten(printable(String(cell)))));
  const widths = columns.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => [...(row[column] ?? '')].length)),
  );
  const toTheRight = columns.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]+ ?%?$/.test(String(row[column]))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const padding = ' '.repeat(Math.max(0, widths[column]! - [...cell].length));
        return toTheRight[column] ? padding + cell : cell + padding;
      })
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [title, line(columns), rule, ...cells.map((row) => line(row))].filter((text) => text !== '').join('\n');
}

/** Replaces control characters: names from uploads could otherwise move the terminal's cursor or change its title. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '�');
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length <= widestCell ? text : `${characters.slice(0, widestCell - 1).join('')}…`;
}
