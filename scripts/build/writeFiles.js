import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns the contents of the copied files, keyed by their paths in `dist/`: all files of an npm package's folder, but only the
 * SQL files of Vouch's own folders.
 */
export async function loadCopied(copied) {
  const files = new Map();
  for (const [path, source] of copied) {
    if ((await stat(source)).isFile()) {
      files.set(path, await readFile(source));
      continue;
    }
    const names = (await readdir(source)).filter((name) => source.includes('node_modules') || name.endsWith('.sql'));
    for (const name of names) files.set(join(path, name), await readFile(join(source, name)));
  }
  return files;
}

/**
 * Writes each file under a temporary name and renames it, so that no program reads an incomplete file. The files in `runnable`
 * become executable.
 */
export async function writeFiles(folder, files, runnable = []) {
  for (const [path, contents] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    const beside = `${target}.${randomUUID()}.tmp`;
    await writeFile(beside, contents, { mode: runnable.includes(path) ? 0o755 : 0o644 });
    await rename(beside, target);
  }
}

/** Removes all files except the named files and files that a concurrent build is writing. */
export async function removeOthers(folder, kept) {
  for (const path of await readdir(folder, { recursive: true })) {
    if (!kept.has(path) && !path.endsWith('.tmp') && (await stat(join(folder, path)).catch(() => null))?.isFile()) await rm(join(folder, path), { force: true });
  }
}
