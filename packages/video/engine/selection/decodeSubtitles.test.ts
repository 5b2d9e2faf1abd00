import { describe, expect, it } from 'vitest';
import { decodeSubtitles } from './decodeSubtitles.ts';

const text = '1\n00:00:01,000 --> 00:00:02,000\nGrüße aus Köln – “très bien”\n';
const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();

describe('the encoding of subtitle files', () => {
  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16, little endian', Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16, big endian', swapped(Buffer.from(`\uFEFF${text}`, 'utf16le'))],
  ])('%s is read as it is', (_, bytes) => {
    expect(decodeSubtitles(bytes)).toEqual({ text, assumed: false });
  });

  it('bytes that are not UTF-8 are read as Windows-1252, and the result says that this is an assumption', () => {
    const bytes = Buffer.from(text.replace('–', '\x96').replace('“', '\x93').replace('”', '\x94'), 'latin1');
    expect(decodeSubtitles(bytes)).toEqual({ text, assumed: true });
  });

  it('a file that ends within a character does not become Windows-1252', () => {
    const whole = Buffer.from(`${text}ü`);
    expect(decodeSubtitles(whole.subarray(0, -1))).toEqual({ text: `${text}\uFFFD`, assumed: false });
  });
});
