import { playlistProblem } from './playlist.ts';

/** A line of an HLS playlist: a tag with its value, or an address. */
export interface HlsLine {
  /** Number of the line, from 1. */
  number: number;
  /** Name of the tag without `#`; null for an address. */
  tag: string | null;
  /** What follows the colon of a tag, or the address. */
  value: string;
}

const maxLine = 16_384;

/**
 * Splits an HLS playlist (RFC 8216, section 4.1) into tags and addresses, without comments, empty lines and a byte order mark.
 * @throws Problem `playlist-refused`
 */
export function splitHls(text: string): HlsLine[] {
  // RFC 8216 allows no byte order mark, but editors write one and players skip it.
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '#EXTM3U') throw playlistProblem('does not begin with #EXTM3U');
  return lines.flatMap((raw, index): HlsLine[] => {
    const line = raw.trimEnd();
    const number = index + 1;
    if (line.length > maxLine) throw playlistProblem(`has more than ${maxLine} characters in line ${number}`);
    if ([...line].some((letter) => (letter < ' ' && letter !== '\t') || letter === '\x7f')) throw playlistProblem(`has a control character in line ${number}`);
    if (line === '' || (line.startsWith('#') && !line.startsWith('#EXT'))) return [];
    if (!line.startsWith('#')) return [{ number, tag: null, value: line }];
    const colon = line.indexOf(':');
    return [{ number, tag: line.slice(1, colon < 0 ? undefined : colon), value: colon < 0 ? '' : line.slice(colon + 1) }];
  });
}

/**
 * Parses an attribute list such as `BANDWIDTH=800000,URI="a.m3u8"`; quotes are removed.
 * @throws Problem `playlist-refused`
 */
export function parseAttributes({ number, tag, value }: HlsLine): ReadonlyMap<string, string> {
  const attribute = /([A-Z0-9-]+)=(?:"([^"]*)"|([^",]*))(?:,\s*|$)/y;
  const found = new Map<string, string>();
  while (attribute.lastIndex < value.length) {
    const match = attribute.exec(value);
    if (match === null) throw playlistProblem(`has an attribute that cannot be read in line ${number} (#${tag})`);
    found.set(match[1]!, match[2] ?? match[3] ?? '');
  }
  return found;
}
