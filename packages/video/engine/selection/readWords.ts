/** Letters and digits with their combining marks, such as the vowel signs of Hindi, and the joiners of Persian and Indic scripts. */
const runs = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200C\u200D]*/gu;
/** Scripts that write no blanks between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ideograph = /^\p{Script=Han}$/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * Returns the words of a text in lower case, of at least `shortest` characters. In scripts without blanks between words, the dictionaries of ICU divide
 * the text (Unicode Standard Annex #29); there, words have at least two characters, or one ideograph.
 */
export function readWords(text: string, shortest: number): string[] {
  return (text.normalize('NFC').match(runs) ?? [])
    .flatMap((run) => (unspaced.test(run) ? divide(run) : [run].filter(({ length }) => length >= shortest)))
    .map((word) => word.replaceAll(/[\u200C\u200D]/g, '').normalize('NFKC').toLowerCase());
}

function divide(run: string): string[] {
  return [...segmenter.segment(run)].map(({ segment }) => segment).filter((word) => word.length >= 2 || ideograph.test(word));
}
