/** Numbers, times and sizes as people read them. */

const whole = new Intl.NumberFormat('en');

export function count(value: number): string {
  return whole.format(value);
}

/** A count with its noun: `1 entity`, `2 entities`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(part: number, digits = 0): string {
  return `${(100 * part).toFixed(digits)} %`;
}

/** Size in bytes with a decimal unit. */
export function size(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** Position or duration in a video, in seconds: `1:02:03`, `0:07.4`. */
export function clock(seconds: number, digits = 0): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = (seconds % 60).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** Duration in words: `40 s`, `3 min`, `2 h`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

/** Distance of a time from now: `just now`, `3 min ago`, `in 2 h`. */
export function ago(time: string, now = Date.now()): string {
  const seconds = (now - new Date(time).getTime()) / 1000;
  if (Math.abs(seconds) < 5) return 'just now';
  return seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

/** Two letters of a name for items without a picture. */
export function initials(name: string): string {
  const words = name.split(/[\s\-_.:]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '').join('').toUpperCase() || '–';
}

/** A colour number, 0 to 7, that is always the same for a text. */
export function hue(text: string): number {
  let sum = 7;
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % 8;
}
