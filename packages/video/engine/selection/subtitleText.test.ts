import { describe, expect, it } from 'vitest';
import { keySentence, rateCues, titleOf } from './keySentences.ts';
import { bestMatch, matchQuery } from './queryMatches.ts';
import { parseSubtitles } from './subtitles.ts';

/** The texts of the cues of a SubRip file with these texts, one per second. */
const read = (...texts: string[]): string[] => parseSubtitles(texts.map((text, at) => `00:00:${10 + at},000 --> 00:00:${11 + at},000\n${text}\n`).join('\n')).map(({ text }) => text);

describe('the text of subtitles', () => {
  it('keeps its lines, and titles, sentences and quotations have one line', () => {
    expect(read('- Are you coming?\n-  No. ')).toEqual(['- Are you coming?\n- No.']);
    const cues = [{ start: 1, end: 2, text: 'The lighthouse keeper\nconfessed' }];
    expect(keySentence(rateCues(cues), { start: 0, end: 3 })).toBe('The lighthouse keeper confessed');
    expect(bestMatch(matchQuery(cues, 'keeper'), { start: 0, end: 3 })?.text).toBe('The lighthouse keeper confessed');
  });

  it('has the characters that numbers and names in the file stand for', () => {
    expect(read('I don&#39;t &#x201C;know&#x201D; &apos;it&apos; &amp;lt; &#0; &#1114112; &#xD800;')).toEqual(['I don\'t “know” \'it\' &lt;']);
  });

  it('has the letters and signs with the names of HTML 4, and keeps words that only look like names', () => {
    expect(read('Caf&eacute; &Uuml;ber &szlig; &ntilde; &iquest;S&iacute;? &copy; 5 &frac12; &thinsp;&ensp;', '&ldquo;Wait&rdquo; &mdash; 5&nbsp;&euro; &hellip; &lsaquo;&raquo; &OElig;uvre', 'Q&A; R&D &unknown; &Eacute;&eacute;')).toEqual(
      ['Café Über ß ñ ¿Sí? © 5 ½', '“Wait” — 5 € … ‹» Œuvre', 'Q&A; R&D &unknown; Éé']);
  });

  it('has the words under ruby text, without the readings above them', () => {
    expect(read('<ruby>東京<rt>とうきょう</rt></ruby>へ', '<ruby.loud>漢<rt.small>かん</rt>字<rt>じ</ruby>です', '<ruby>a<rp>(</rp><rt>b</rt><rp>)</rp></ruby> c <rtl>d')).toEqual(['東京へ', '漢字です', 'a c d']);
  });

  it('keeps the characters that join or separate letters, and drops only those that show nothing', () => {
    expect(read('می\u200Cروم', 'क्\u200Dष', '👨\u200D👩\u200D👧', 'שלום!\u200F', 'Donau\u00ADdampf', 'a\u202Eb\u202Cc', '\u200B\u200E')).toEqual(
      ['می\u200Cروم', 'क्\u200Dष', '👨\u200D👩\u200D👧', 'שלום!\u200F', 'Donaudampf', 'abc']);
  });

  it('loses no words between signs that begin no tag', () => {
    expect(read('5 < 6 and 7 > 3', 'I <3 you, I do > that', '<v Anna>Hello <00:00:01.500><c.loud>there</c></v>')).toEqual(['5 < 6 and 7 > 3', 'I <3 you, I do > that', 'Hello there']);
  });

  it('has no drawings, and no subtitle twice, as in layers of the outline and the filling', () => {
    expect(read(String.raw`{\an7\p1}m 0 0 l 100 0 100 100{\p0}Sign`, String.raw`{\pos(1,2)\p2}m 0 0 l 4 4`, String.raw`{\pos(1,2)}Text`)).toEqual(['Sign', 'Text']);
    expect(parseSubtitles('00:01.000 --> 00:02.000\nKaraoke\n\n00:01.000 --> 00:02.000\nother\n\n00:01.000 --> 00:02.000\nKaraoke\n').map(({ text }) => text)).toEqual(['Karaoke', 'other']);
  });

  it('is never cut within a character', () => {
    expect(read(`${'a'.repeat(499)}😀`)[0]!.isWellFormed()).toBe(true);
    expect(titleOf(`${'a'.repeat(58)}😀😀`).isWellFormed()).toBe(true);
  });

  it('is found by queries in every script', () => {
    const cues = read('これは東京の夜です', 'बहुत अच्छी कहानी', 'वह कह रहा है', 'สวัสดีครับวันนี้เราไปตลาด', '今天天气很好').map((text, at) => ({ start: at, end: at + 1, text }));
    const found = (query: string): string[] => matchQuery(cues, query).map(({ text }) => text);
    expect(found('東京')).toEqual(['これは東京の夜です']);
    expect(found('कहानी')).toEqual(['बहुत अच्छी कहानी']);
    expect(found('ตลาด')).toEqual(['สวัสดีครับวันนี้เราไปตลาด']);
    expect(found('天气')).toEqual(['今天天气很好']);
  });
});
