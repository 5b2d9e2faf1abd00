/** Letters, digits and their combining marks, such as the vowel signs of Hindi. The joiners of Persian and Indic scripts belong to a word. */
const runs = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200C\u200D]*/gu;
/** Scripts that write no blanks between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ideograph = /^\p{Script=Han}$/u;
const longestWord = 64;
/** A longer run is no word, so its pieces are compared. */
const pieces = /[^]{2,64}/gu;
/**
 * Maximum number of characters of a text that are divided by a dictionary, which takes 0.7 ms per 1,000 Chinese characters; other words take 0.03 ms. The
 * dictionary finds more words in these characters than an item can have attributes.
 */
const dividedLength = 1_000;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * Returns the words of a text, of 2 to 64 characters: runs of letters and digits. In scripts that write no blanks between words, the runs are divided by
 * the dictionaries of ICU (Unicode Standard Annex #29), and one ideograph can be a word.
 */
export function* readWords(text: string): Iterable<string> {
  const hasUnspaced = unspaced.test(text);
  let left = dividedLength;
  for (const [run] of text.normalize('NFC').matchAll(runs)) {
    // Nearly all runs are such words; a shorter run can be one character of two code units.
    if (!hasUnspaced && run.length > 3 && run.length <= longestWord) yield run;
    else if (!hasUnspaced || !unspaced.test(run)) yield* piecesOf(run);
    else if (left > 0) {
      yield* divide(run.slice(0, left));
      left -= run.length;
    }
  }
}

function* divide(run: string): Iterable<string> {
  for (const { segment } of segmenter.segment(run)) {
    if (ideograph.test(segment)) yield segment;
    else yield* piecesOf(segment);
  }
}

function* piecesOf(run: string): Iterable<string> {
  for (const [piece] of run.matchAll(pieces)) yield piece;
}
