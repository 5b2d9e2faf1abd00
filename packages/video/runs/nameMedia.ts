import { Problem } from '@vouch/platform/errors/problem';

/**
 * Replaces the file name in an error message of the engine. The name of downloaded media is internal, for example the hash of a
 * blob, and means nothing to a caller who gave a URL.
 *
 * @example
 * nameMedia('source has no video stream.', 'source', 'The file from films.example'); // 'The file from films.example has no video stream.'
 *
 * @param file last part of the path that the engine read; empty before the engine has read a file
 * @param name replacement, e.g. `The file from films.example`
 */
export function nameMedia(text: string, file: string, name: string): string {
  if (file === '') return text;
  const rest = (from: number): boolean => text.startsWith(`${file} `, from) || text.startsWith(`${file}:`, from);
  if (rest(0)) return name + text.slice(file.length);
  const inside = text.indexOf(`: ${file}`);
  return inside >= 0 && rest(inside + 2) ? text.slice(0, inside + 2) + name + text.slice(inside + 2 + file.length) : text;
}

/** Replaces the file name in the detail of a Problem. Other errors are returned unchanged. */
export function nameMediaOf(error: unknown, file: string, name: string): unknown {
  if (!(error instanceof Problem)) return error;
  const detail = nameMedia(error.detail, file, name);
  return detail === error.detail ? error : error.withDetail(detail);
}
