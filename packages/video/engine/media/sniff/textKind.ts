import type { Sniffed } from './signatures.ts';

/** Playlists and similar texts, recognised by patterns near the beginning. */
const playlists: readonly { pattern: RegExp; what: string }[] = [
  { pattern: /^#EXTM3U|^#EXT-X-/im, what: 'an HLS or M3U playlist' },
  { pattern: /^ffconcat\s+version/i, what: 'an ffconcat script' },
  { pattern: /^\s*file\s+['"]?\S+/i, what: 'a list of files for FFmpeg' },
  { pattern: /<MPD[\s>]/, what: 'a DASH manifest' },
  { pattern: /<SmoothStreamingMedia[\s>]/i, what: 'a Smooth Streaming manifest' },
  { pattern: /<(?:smil|asx|playlist)[\s>]/i, what: 'a playlist' },
  { pattern: /^\[(?:playlist|reference)\]/i, what: 'a playlist' },
  { pattern: /^v=0\r?\n[a-z]=/, what: 'a session description (SDP)' },
  { pattern: /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/\S+\s*)+$/i, what: 'a list of URLs' },
];

/**
 * Determines the kind of text; null if the first bytes are not text.
 * @param head the first bytes, as Latin-1
 */
export function textKind(head: string): Sniffed | null {
  if (!isText(head)) return null;
  // In UTF-16, a zero byte precedes or follows each ASCII letter.
  const text = head.replaceAll('\0', '').replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').trimStart();
  const playlist = playlists.find(({ pattern }) => pattern.test(text));
  if (playlist !== undefined) return { kind: 'playlist', what: playlist.what };
  if (/^<(?:!doctype\s+html|html|head|body|!--)|<html[\s>]/i.test(text)) return { kind: 'not-media', what: 'a web page' };
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE svg[^>]*>\s*)?<svg[\s>]/i.test(text)) return { kind: 'not-media', what: 'an SVG image' };
  if (text.startsWith('<?xml')) return { kind: 'not-media', what: 'an XML document' };
  if (/^[{[]/.test(text)) return { kind: 'not-media', what: 'a JSON document or other text' };
  return { kind: 'not-media', what: 'a text file' };
}

/**
 * Whether all bytes are text: no control characters except white space and escape (terminal colours). After a byte order mark,
 * the zero bytes of UTF-16 are allowed.
 */
function isText(head: string): boolean {
  const utf16 = /^(?:\xff\xfe|\xfe\xff)/.test(head);
  return [...head].every((letter) => letter >= ' ' ? letter !== '\x7f' : '\t\n\v\f\r\x1b'.includes(letter) || (utf16 && letter === '\0'));
}
