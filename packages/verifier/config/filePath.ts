import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

/** Where a path of the configuration file leads. */
interface FilePath {
  /** Counted from the folder of the file. */
  path: string;
  /** Counted from the working folder, as earlier releases did; null where that is the same place, or nothing is there. */
  former: string | null;
}

/**
 * A path that is written in the configuration file counts from the file's own folder, so that a node finds its things wherever it
 * is started from. A file that has no place of its own (a pipe, /dev/stdin) counts as one of the working folder.
 * @param file the configuration file, relative to the working folder or absolute
 */
export function filePath(written: string, file: string): FilePath {
  if (isAbsolute(written)) return { path: written, former: null };
  const path = join(hasPlace(file) ? dirname(file) : '.', written);
  return { path, former: relative(written, path) !== '' && existsSync(written) ? written : null };
}

/** As filePath, for what is only read or appended to: where the thing is at the former place alone, that one. */
export function existingPath(written: string, file: string): FilePath {
  const found = filePath(written, file);
  return found.former === null || existsSync(found.path) ? { ...found, former: null } : { path: found.former, former: found.former };
}

function hasPlace(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
