import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';

/** Resolved path from the configuration file. */
interface FilePath {
  /** Path relative to the folder of the configuration file. */
  path: string;
  /** Path relative to the working folder, as earlier releases resolved it; null if both paths are equal or nothing exists there. */
  former: string | null;
}

/**
 * Resolves a path in the configuration file against the file's own folder, so that the result does not depend on the working folder.
 * If the configuration is a pipe (/dev/stdin), paths are resolved against the working folder.
 * @param file the configuration file, relative to the working folder or absolute
 */
export function filePath(written: string, file: string): FilePath {
  if (isAbsolute(written)) return { path: written, former: null };
  const path = join(hasPlace(file) ? dirname(file) : '.', written);
  return { path, former: relative(written, path) !== '' && existsSync(written) ? written : null };
}

/** Resolves a path like filePath, for files that are only read or appended to: if the file exists only at the former path, this path is used. */
export function existingPath(written: string, file: string): FilePath {
  const found = filePath(written, file);
  return found.former === null || existsSync(found.path) ? { ...found, former: null } : { path: found.former, former: found.former };
}

function hasPlace(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
