const ZERO = 48;
const MINUS = 45;
const PLUS = 43;
const COLON = 58;
const DOT = 46;
const COMMA = 44;
const SPACE = 32;

/** Last millisecond of the year 9999; a larger number is in microseconds or nanoseconds. */
const latest = 253_402_300_799_999;
/** First millisecond of the year 0000; ISO 8601 cannot write earlier years with four digits. */
const earliest = -62_167_219_200_000;
const secondsBelow = 1e11;

function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let at = start; at < start + count; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Days since 1970-01-01 of a civil date (Howard Hinnant's days_from_civil), or NaN for a date that does not exist. */
function daysFromCivil(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1) return Number.NaN;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  if (day > length) return Number.NaN;
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = ((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 | 0) + day - 1;
  return era * 146_097 + yearOfEra * 365 + (yearOfEra >> 2) - (yearOfEra / 100 | 0) + dayOfYear - 719_468;
}

/** Minutes east of UTC of `Z`, `UTC`, `+hh`, `+hhmm` or `+hh:mm`, or NaN. */
function zoneMinutes(bytes: Uint8Array, start: number, end: number): number {
  const first = (bytes[start] as number) | 32;
  if (first === 122 && end === start + 1) return 0;
  if (first === 117 && end === start + 3) {
    return ((bytes[start + 1] as number) | 32) === 116 && ((bytes[start + 2] as number) | 32) === 99 ? 0 : Number.NaN;
  }
  const sign = bytes[start] === PLUS ? 1 : bytes[start] === MINUS ? -1 : Number.NaN;
  const length = end - start;
  const colon = length === 6 && bytes[start + 3] === COLON ? 1 : 0;
  if (length !== 3 && length !== 5 + colon) return Number.NaN;
  const hours = digits(bytes, start + 1, 2);
  const minutes = length === 3 ? 0 : digits(bytes, start + 3 + colon, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  return sign * (hours * 60 + minutes);
}

/** Milliseconds of the day of `hh:mm[:ss[.fraction]][zone]`, minus the zone offset, or NaN. */
function parseTime(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 5 || bytes[start + 2] !== COLON) return Number.NaN;
  const hours = digits(bytes, start, 2);
  const minutes = digits(bytes, start + 3, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return Number.NaN;
  let at = start + 5;
  let milliseconds = (hours * 60 + minutes) * 60_000;
  if (at < end && bytes[at] === COLON) {
    if (end - at < 3) return Number.NaN;
    const seconds = digits(bytes, at + 1, 2);
    if (seconds < 0 || seconds > 60) return Number.NaN;
    milliseconds += seconds * 1000;
    at += 3;
    if (at < end && (bytes[at] === DOT || bytes[at] === COMMA)) {
      const point = at++;
      for (let scale = 100; at < end; at++, scale = Math.floor(scale / 10)) {
        const digit = (bytes[at] as number) - ZERO;
        if (digit < 0 || digit > 9) break;
        milliseconds += digit * scale;
      }
      if (at === point + 1) return Number.NaN;
    }
  }
  if (at === end) return milliseconds;
  if (bytes[at] === SPACE) at++;
  if (at >= end) return Number.NaN;
  return milliseconds - zoneMinutes(bytes, at, end) * 60_000;
}

function parseIso(bytes: Uint8Array, start: number, end: number): number {
  if (bytes[start + 7] !== MINUS) return Number.NaN;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  if (year < 0 || month < 0 || day < 0) return Number.NaN;
  const midnight = daysFromCivil(year, month, day) * 86_400_000;
  if (end === start + 10) return midnight;
  const separator = bytes[start + 10];
  if (separator !== SPACE && separator !== 84 && separator !== 116) return Number.NaN;
  return midnight + parseTime(bytes, start + 11, end);
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

function parseNumber(bytes: Uint8Array, start: number, end: number): number {
  if (end - start <= 15) {
    const plain = digits(bytes, start, end - start);
    if (plain >= 0) return plain < secondsBelow ? plain * 1000 : plain;
  }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
  if (!decimal.test(text)) return Number.NaN;
  const value = Number(text);
  return Math.floor(Math.abs(value) < secondsBelow ? Math.round(value * 1e6) / 1000 : value);
}

/**
 * Parses a time from bytes: an ISO 8601 date, an ISO 8601 date and time (UTC if there is no zone), or a number of Unix
 * seconds (below 1e11) or milliseconds. Surrounding blanks are allowed. Years 0000 to 9999.
 * @returns milliseconds since the epoch, rounded down, or NaN if the text is not a time
 */
export function parseTimestamp(bytes: Uint8Array, start: number, end: number): number {
  while (start < end && bytes[start] === SPACE) start++;
  while (end > start && bytes[end - 1] === SPACE) end--;
  if (start === end || end - start > 64) return Number.NaN;
  const iso = end - start >= 10 && bytes[start + 4] === MINUS;
  const value = iso ? parseIso(bytes, start, end) : parseNumber(bytes, start, end);
  return value >= earliest && value <= latest ? value : Number.NaN;
}
