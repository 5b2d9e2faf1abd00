/** Formats a time for WebVTT, `hh:mm:ss.mmm`; for SubRip, the separator of the milliseconds is a comma. */
export function cueTime(seconds: number, separator: '.' | ',' = '.'): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}${separator}${String(milliseconds % 1000).padStart(3, '0')}`;
}
