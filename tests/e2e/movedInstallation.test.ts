import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { exhaustive } from '@vouch/platform/testing/exhaustive';
import { serveVouch, type ServedVouch } from '../../bench/harness/serveVouch.ts';
import { processTree } from '../crash/harness/processTree.ts';

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Creates an installation with a copy of the program and links to the libraries of this checkout. */
async function install(root: string): Promise<void> {
  const installed = join(checkout, 'node_modules');
  await cp(join(checkout, 'dist'), join(root, 'dist'), { recursive: true, preserveTimestamps: true });
  await cp(join(checkout, 'package.json'), join(root, 'package.json'));
  await mkdir(join(root, 'node_modules'));
  for (const name of await readdir(installed)) {
    if (name === '.cache' || name === '@vouch' || name === 'tsx' || name === 'esbuild') continue;
    if (name === '@foundry-rs') await cp(join(installed, name), join(root, 'node_modules', name), { recursive: true, verbatimSymlinks: true, filter: (path) => !path.includes('forge') });
    else await symlink(join(installed, name), join(root, 'node_modules', name));
  }
}

async function serve(root: string): Promise<ServedVouch> {
  const served = await serveVouch({
    folder: join(root, 'data'), key: 'moved-key-0123456789abcdef', program: join(root, 'dist/vouch.js'), arguments: ['--devnet'],
    environment: { DATABASE_URL: '' },
  });
  closers.push(() => served.stop());
  return served;
}

/** Returns the files of installations that a server runs: the keeper of PostgreSQL, anvil and similar programs. */
function startedFrom({ processId }: ServedVouch, parent: string): string[] {
  const words = processTree(processId).flatMap(({ command }) => command.split(' '));
  return [...new Set(words.filter((word) => word.startsWith(parent) && /\/(dist|node_modules)\//.test(word)))];
}

/** Returns the socket folder of an installation's PostgreSQL. */
function socketsOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'data/postgres/server.json'), 'utf8')) as { sockets: string }).sockets;
}

it.runIf(exhaustive && process.platform === 'linux')('an installation that was copied or moved, without tsx and esbuild, runs its own code, PostgreSQL and local chain, and leaves those of the original alone', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'vouch-moved-'));
  closers.push(() => rm(parent, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  execFileSync('chmod', ['755', parent]);
  const [first, second, third] = ['first', 'second', 'third'].map((name) => join(parent, name)) as [string, string, string];
  await install(first);
  await mkdir(join(first, 'data'));
  await (await serve(first)).stop();
  execFileSync('cp', ['-a', first, second]);

  const original = await serve(first);
  const copy = await serve(second);
  for (const [root, served] of [[first, original], [second, copy]] as const) {
    const started = startedFrom(served, parent);
    expect(started).toContain(join(root, 'dist/platform/database/postgresKeeper.sh'));
    expect(started.some((path) => path.endsWith('/bin/anvil'))).toBe(true);
    expect(started.filter((path) => !path.startsWith(`${root}/`))).toEqual([]);
    expect((await fetch(`${served.url}/readyz`)).status).toBe(200);
  }
  const sockets = socketsOf(first);
  expect(socketsOf(second)).not.toBe(sockets);
  await copy.stop();
  expect(existsSync(join(sockets, '.s.PGSQL.5432'))).toBe(true);
  expect((await fetch(`${original.url}/readyz`)).status).toBe(200);
  await original.stop();

  await rename(second, third);
  const moved = startedFrom(await serve(third), parent);
  expect(moved).toContain(join(third, 'dist/platform/database/postgresKeeper.sh'));
  expect(moved.filter((path) => !path.startsWith(`${third}/`))).toEqual([]);
});
