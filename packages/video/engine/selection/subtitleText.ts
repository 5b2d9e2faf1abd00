import { namedCharacters } from './namedCharacters.ts';

const entities = /&(?:([A-Za-z]{2,8}\d{0,2})|#(\d{1,7})|#[xX]([\dA-Fa-f]{1,6}));/g;
/** Tags of SubRip and WebVTT, also the times of words. Other signs “<” belong to the text, as in “5 < 6” and “<3”. */
/** Readings above the words of ruby text, and the parentheses around them for programs that do not know ruby. The last end tag may be missing. */
const readings = /<r([tp])(?:\.[^<>\s]{0,80})?>[^<>]{0,200}(?:<\/r\1>|(?=<\/ruby>))/gi;
const tags = /<\/?[A-Za-z][^<>]{0,200}>|<[\d:.]{4,16}>/g;
/** Drawings of Advanced SubStation Alpha: the text behind \p1 and up to \p0 is the path of a pen. */
const drawings = /\{[^{}]{0,200}\\p[1-9][^{}]{0,200}\}[^{}]*(?:\{[^{}]{0,200}\\p0[^{}]{0,200}\}|$)/g;
const overrides = /\{\\[^{}]{0,200}\}/g;
/**
 * Characters that show nothing: soft hyphens, word joiners, byte order marks and embeddings of a direction, which could reorder the text around the
 * subtitle. The joiners of Persian, of Indic scripts and of emoji, the spaces without width of Khmer, and the marks of one direction belong to the text.
 */
const invisible = /[\u00AD\u180E\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]+/g;
const visible = /[^\s\p{Cf}]/u;

/** Converts the lines of a subtitle, which are untrusted, to plain text: without tags, entities, control characters and empty lines. */
export function plainLines(text: string): string {
  return text
    .replace(readings, '')
    .replace(tags, '')
    .replace(drawings, '')
    .replace(overrides, '')
    .replace(entities, (entity, name: string | undefined, decimal: string | undefined, hex: string | undefined) =>
      (name === undefined ? characterOf(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)) : namedCharacters.get(name) ?? entity))
    .replace(invisible, '')
    .split('\n')
    .map((line) => line.replace(/[\p{Cc}\p{Cs}\uFFFD\s]+/gu, ' ').trim())
    .filter((line) => visible.test(line))
    .join('\n');
}

/** The lines of a subtitle as one line, for titles and quotations. */
export function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}

/** The first characters of a text. `length` counts code units, but a character of two code units is not divided. */
export function firstCharacters(text: string, length: number): string {
  return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

function characterOf(code: number): string {
  return code > 0x10FFFF ? ' ' : String.fromCodePoint(code);
}
