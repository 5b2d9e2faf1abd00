/** A line of a dialogue begins with a dash. */
const dialogue = /^[-‐‑–—−―]/;
/** Signs that begin no line, and signs that end none (kinsoku of Japanese, and punctuation of other scripts). */
const beginsNone = /^[\p{Pe}\p{Pf}\p{Po}\p{M}ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const endsNone = /[\p{Ps}\p{Pi}]$/u;
const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u3000-\u303F\uFF00-\uFF60]/u;
/** Width of other letters relative to the height of the letters: that of “w” in common fonts is 0.7, of “e” 0.5. */
const narrowWidth = 0.6;
const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * Divides a subtitle into the lines that the renderer must not join. The renderer (libass) wraps a line only at blanks, so words that are wider than the
 * picture, such as whole sentences in Japanese or Thai, are divided here: where the dictionaries of ICU end a word, into lines of similar width.
 * @param columns width of the picture in heights of the letters; a Chinese character is one height wide
 */
export function wrapCaption(text: string, columns: number): string[] {
  return joinLines(text.split('\n')).flatMap((line) => {
    if (!line.split(' ').some((word) => widthOf(word) > columns)) return [line];
    return breakEvenly(unitsOf(line, columns), columns);
  });
}

/** Joins lines, except before the lines of a dialogue: a subtitle for a television has lines that are too wide for a phone. */
function joinLines(lines: readonly string[]): string[] {
  const joined: string[] = [];
  for (const line of lines) {
    if (joined.length === 0 || dialogue.test(line)) joined.push(line);
    else joined.push(`${joined.pop()!} ${line}`);
  }
  return joined;
}

/** The parts of a line between which it may be broken, each with the signs that must stay with it. */
function unitsOf(line: string, columns: number): string[] {
  const units: string[] = [];
  for (const { segment } of words.segment(line)) {
    const parts = widthOf(segment) > columns ? [...graphemes.segment(segment)].map((each) => each.segment) : [segment];
    for (const part of parts) {
      const before = units.at(-1);
      if (before !== undefined && (beginsNone.test(part) || endsNone.test(before)) && widthOf(before + part) <= columns) units.push(units.pop()! + part);
      else units.push(part);
    }
  }
  return units;
}

function breakEvenly(units: readonly string[], columns: number): string[] {
  const all = widthOf(units.join(''));
  const goal = all / Math.ceil(all / columns);
  const lines: string[] = [''];
  for (const unit of units) {
    const line = lines.at(-1)!;
    const [without, within] = [widthOf(line), widthOf(line + unit)];
    // The unit goes where the line is nearer to the even width, if it fits.
    if (line !== '' && (within > columns || within - goal > goal - without)) lines.push(unit);
    else lines.push(lines.pop()! + unit);
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 1 : narrowWidth;
  return width;
}
