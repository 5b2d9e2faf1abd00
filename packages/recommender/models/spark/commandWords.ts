/**
 * Splits a command line into words as a shell does: blanks separate words, quotes group characters, a backslash escapes the
 * next character. Nothing is expanded and no shell is started.
 * @returns the words; null if a quote is not closed or the line is empty
 */
export function commandWords(line: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const character = line[at] as string;
    if (character === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + (line[++at] as string);
    else if (quote !== '') {
      if (character === quote) quote = '';
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  return quote !== '' || words.length === 0 ? null : words;
}

/** Values of `key=value` words with a key that indicates a secret; these values must not be shown. */
export function secretValues(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const [, key = '', value = ''] = /^(?:--?)?([^=]+)=(.+)$/.exec(word) ?? [];
    return /secret|passw|token|credential|access\.?key/i.test(key) ? [value] : [];
  });
}
