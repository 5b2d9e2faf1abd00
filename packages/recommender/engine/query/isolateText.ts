/** The strong characters of right-to-left scripts (Hebrew, Arabic, Syriac, Thaana, N'Ko, Adlam and others), and the right-to-left marks. */
const rightToLeft = /[\u0590-\u08FF\u200F\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
/** Embeddings, overrides and isolates, and their ends. */
const directions = /[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Returns a name or a value for a sentence, whose other words a right-to-left text must not reorder: such a text is between U+2068 and U+2069
 * (Unicode Standard Annex #9, section 2.4.1). Characters that set a direction are left out, because they can end an isolate, or reach beyond the text.
 * @example isolateText('Heat') // 'Heat'
 */
export function isolateText(text: string): string {
  const plain = text.replaceAll(directions, '');
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}
