const QUOTE = 34;
const BACKSLASH = 92;

/** Maximum nesting; deeper metadata is not useful and could exhaust the stack of every later reader. */
const maxDepth = 64;

/** Class of a byte inside a JSON string: 0 ordinary, 1 quote, 2 backslash, 3 forbidden. */
const stringClass = new Uint8Array(256);
stringClass.fill(3, 0, 32);
stringClass[QUOTE] = 1;
stringClass[BACKSLASH] = 2;

let source: Uint8Array = new Uint8Array();
let limit = 0;
/** Position after the part that was read, or -1 if the text is not JSON. All functions in this file return such positions. */
type Position = number;

function skipBlanks(at: Position): Position {
  while (at < limit) {
    const byte = source[at];
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) break;
    at++;
  }
  return at;
}

function isHexadecimal(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 48 && byte <= 57) || ((byte | 32) >= 97 && (byte | 32) <= 102);
}

function skipEscape(at: Position): Position {
  if (at >= limit) return -1;
  const byte = source[at] as number;
  if (byte === 117) {
    if (at + 4 >= limit) return -1;
    for (let digit = at + 1; digit <= at + 4; digit++) if (!isHexadecimal(source[digit])) return -1;
    return at + 5;
  }
  return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? at + 1 : -1;
}

function skipString(at: Position): Position {
  if (at >= limit || source[at] !== QUOTE) return -1;
  at++;
  while (at < limit) {
    const kind = stringClass[source[at] as number];
    if (kind === 0) at++;
    else if (kind === 1) return at + 1;
    else if (kind === 2) {
      at = skipEscape(at + 1);
      if (at < 0) return -1;
    } else return -1;
  }
  return -1;
}

function skipDigits(at: Position): Position {
  const start = at;
  while (at < limit && (source[at] as number) >= 48 && (source[at] as number) <= 57) at++;
  return at === start ? -1 : at;
}

function skipNumber(at: Position): Position {
  if (source[at] === 45) at++;
  if (at < limit && source[at] === 48) at++;
  else at = skipDigits(at);
  if (at >= 0 && at < limit && source[at] === 46) at = skipDigits(at + 1);
  if (at >= 0 && at < limit && ((source[at] as number) | 32) === 101) {
    at++;
    if (at < limit && (source[at] === 43 || source[at] === 45)) at++;
    at = skipDigits(at);
  }
  return at;
}

function skipWord(at: Position, word: string): Position {
  if (at + word.length > limit) return -1;
  for (let index = 0; index < word.length; index++) if (source[at + index] !== word.charCodeAt(index)) return -1;
  return at + word.length;
}

function skipValue(at: Position, depth: number): Position {
  if (at >= limit) return -1;
  switch (source[at]) {
    case QUOTE: return skipString(at);
    case 123: return skipMembers(at, depth, true);
    case 91: return skipMembers(at, depth, false);
    case 116: return skipWord(at, 'true');
    case 102: return skipWord(at, 'false');
    case 110: return skipWord(at, 'null');
    default: return skipNumber(at);
  }
}

/** Reads an object or an array, starting after its opening bracket. */
function skipMembers(at: Position, depth: number, named: boolean): Position {
  if (depth === maxDepth) return -1;
  const close = named ? 125 : 93;
  at = skipBlanks(at + 1);
  if (at < limit && source[at] === close) return at + 1;
  for (;;) {
    if (named) {
      at = skipString(at);
      if (at < 0) return -1;
      at = skipBlanks(at);
      if (at >= limit || source[at] !== 58) return -1;
      at = skipBlanks(at + 1);
    }
    at = skipValue(at, depth + 1);
    if (at < 0) return -1;
    at = skipBlanks(at);
    if (at >= limit) return -1;
    if (source[at] === close) return at + 1;
    if (source[at] !== 44) return -1;
    at = skipBlanks(at + 1);
  }
}

/**
 * Whether bytes of valid UTF-8 are exactly one JSON object (RFC 8259) with at most 64 levels. Reads bytes without creating
 * strings: 1 million rows with 30 bytes of metadata take about 0.1 s; decoding and `JSON.parse` take 0.6 s.
 */
export function isJsonObject(bytes: Uint8Array, start: number, end: number): boolean {
  source = bytes;
  limit = end;
  const first = skipBlanks(start);
  if (first >= end || bytes[first] !== 123) return false;
  const behind = skipMembers(first, 0, true);
  return behind >= 0 && skipBlanks(behind) === end;
}

/** Explains why a text is not usable as metadata. Call this function only if `isJsonObject` returned false. */
export function explainJson(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message.slice(0, 120) : 'it cannot be read'}`;
  }
  if (Array.isArray(value)) return 'is a JSON list, not a JSON object; write {"name": [...]}';
  if (value === null || typeof value !== 'object') return `is a JSON ${value === null ? 'null' : typeof value}, not a JSON object`;
  return `is nested deeper than ${maxDepth} levels`;
}
