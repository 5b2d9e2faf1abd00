import type { Range } from './range.ts';

/** Formats a time: `1:05.3`, or `1:01:05.3` from one hour on. */
export function formatTime(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  const rest = `${String(Math.floor((tenths / 10) % 60)).padStart(2, '0')}.${tenths % 10}`;
  const minutes = Math.floor(tenths / 600);
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

/** Formats a part of a video of `duration` seconds: `45.8–48.8 s`, or `0:45.8–0:48.8` where the video has at least one minute. */
export function formatSpan({ start, end }: Range, duration: number): string {
  return duration < 60 ? `${start.toFixed(1)}–${end.toFixed(1)} s` : `${formatTime(start)}–${formatTime(end)}`;
}

/** Formats a time or a length within a video of `duration` seconds: `45.8 s`, or `0:45.8` where the video has at least one minute. */
export function formatWithin(seconds: number, duration: number): string {
  return duration < 60 ? `${seconds.toFixed(1)} s` : formatTime(seconds);
}
