const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Characters of East Asian Width W or F (Unicode Standard Annex #11), by block. */
const wide = /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;
const emoji = /\p{Emoji_Presentation}|\uFE0F/u;
const withoutWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;

/**
 * Returns the number of columns that a text takes on a terminal: two for each Chinese, Japanese or Korean character and each emoji, none for combining
 * and format characters.
 */
export function displayWidth(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += widthOf(segment);
  return columns;
}

/** Shortens a text to a number of columns, with an ellipsis, between characters as people see them. */
export function shortenToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

function widthOf(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  let columns = 0;
  for (const character of grapheme) columns += withoutWidth.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return columns;
}
