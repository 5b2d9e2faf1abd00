/** Text of a subtitle file. */
interface DecodedSubtitles {
  text: string;
  /** Whether the bytes tell no encoding and Windows-1252 was assumed. */
  assumed: boolean;
}

/** Characters of the bytes 0x80 to 0x9f. Some versions of Node decode `windows-1252` as ISO 8859-1, which has control characters there. */
const windowsCharacters = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes the bytes of a subtitle file: UTF-16 with a byte order mark, or UTF-8. Bytes that are not UTF-8 are read as Windows-1252, the
 * encoding of most SubRip files of Western Europe that are not UTF-8, as browsers do with pages (WHATWG Encoding). Never throws.
 */
export function decodeSubtitles(bytes: Uint8Array): DecodedSubtitles {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), assumed: false };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), assumed: false };
  if (isUtf8(bytes)) return { text: new TextDecoder('utf-8').decode(bytes), assumed: false };
  const text = Buffer.from(bytes).toString('latin1').replaceAll(/[\x80-\x9f]/g, (character) => windowsCharacters[character.charCodeAt(0) - 0x80]!);
  return { text, assumed: true };
}

/** Whether bytes are UTF-8. The last character may be incomplete, because a download that was cut off is no sign of another encoding. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
