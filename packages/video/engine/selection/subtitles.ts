import { firstCharacters, plainLines } from './subtitleText.ts';

/** A subtitle, start ≤ time < end, seconds. */
export interface Cue {
  start: number;
  end: number;
  /** Plain text without tags, at most 500 characters; its lines are separated by `\n`. */
  text: string;
}

/**
 * Limits on one subtitle file; the parser ignores the rest. A long film has about 2,000 cues of 60 characters. `longest` is
 * the latest end time of a cue in seconds (100 hours).
 */
const maxCharacters = 8_000_000;
const maxCues = 20_000;
const maxText = 500;
const longest = 360_000;

/**
 * Parses SubRip or WebVTT. Subtitle files are untrusted input: the parser skips lines that are not cues, converts tags and
 * entities to plain text (`plainLines`), drops copies of cues and limits every size. The function never throws; text without
 * cues gives an empty list.
 *
 * @example
 * const [cue] = parseSubtitles('1\n00:00:01,000 --> 00:00:02,500\nHello\n'); // { start: 1, end: 2.5, text: 'Hello' }
 *
 * @returns cues in ascending order of start time
 */
export function parseSubtitles(text: string): Cue[] {
  const lines = text.slice(0, maxCharacters).replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const cues: Cue[] = [];
  let skipping = false;
  for (let index = 0; index < lines.length && cues.length < maxCues; index++) {
    const line = lines[index]!;
    if (line.trim() === '') skipping = false;
    else if (/^(?:NOTE|STYLE|REGION)(?:\s|$)/.test(line)) skipping = true;
    const times = skipping ? null : parseTiming(line);
    if (times === null) continue;
    const parts: string[] = [];
    let length = 0;
    while (index + 1 < lines.length && lines[index + 1]!.trim() !== '' && parseTiming(lines[index + 1]!) === null) {
      index++;
      if (length <= maxText * 4) parts.push(lines[index]!.slice(0, maxText * 4));
      length += lines[index]!.length;
    }
    const plain = firstCharacters(plainLines(parts.join('\n')), maxText).trim();
    if (plain !== '') cues.push({ ...times, text: plain });
  }
  return withoutCopies(cues.sort((a, b) => a.start - b.start || a.end - b.end));
}

/** Drops repetitions of a cue: styled subtitles have layers with the same text at the same time. */
function withoutCopies(cues: readonly Cue[]): Cue[] {
  const seen = new Set<string>();
  return cues.filter(({ start, end, text }) => seen.size < seen.add(`${start} ${end} ${text}`).size);
}

const stamp = String.raw`(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})`;
const timing = new RegExp(String.raw`^\s{0,8}${stamp}\s{0,8}-->\s{0,8}${stamp}(?:\s|$)`);

function parseTiming(line: string): { start: number; end: number } | null {
  if (line.length > 400 || !line.includes('-->')) return null;
  const match = timing.exec(line);
  if (match === null) return null;
  const start = secondsOf(match.slice(1, 5));
  const end = secondsOf(match.slice(5, 9));
  return end > start && end <= longest ? { start, end } : null;
}

function secondsOf([hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  return Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);
}
