import { Problem } from '@vouch/platform/errors/problem';

/**
 * The engine names media by their file. Of fetched media that name is ours, the hash of a blob for instance, and says nothing to
 * whoever gave an address: a name that does stands in its place.
 * @param file last part of the path that the engine was asked about; empty where it was not
 * @param name e.g. `The file from films.example`
 */
export function nameMedia(text: string, file: string, name: string): string {
  if (file === '') return text;
  const rest = (from: number): boolean => text.startsWith(`${file} `, from) || text.startsWith(`${file}:`, from);
  if (rest(0)) return name + text.slice(file.length);
  const inside = text.indexOf(`: ${file}`);
  return inside >= 0 && rest(inside + 2) ? text.slice(0, inside + 2) + name + text.slice(inside + 2 + file.length) : text;
}

/** The same problem with the media named in its detail; anything else as it is. */
export function nameMediaOf(error: unknown, file: string, name: string): unknown {
  if (!(error instanceof Problem)) return error;
  const detail = nameMedia(error.detail, file, name);
  if (detail === error.detail) return error;
  const { code, status, title, errors, headers } = error;
  return new Problem(code, { status, title, cause: '', remedy: '' }, detail, { ...(errors === undefined ? {} : { errors }), headers, cause: error });
}
