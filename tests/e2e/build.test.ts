import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../', import.meta.url));
const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** Creates a checkout with the build scripts and libraries of this checkout, whose program consists of the given files. */
async function makeCheckout(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'vouch-build-'));
  made.push(root);
  await cp(join(checkout, 'scripts/build'), join(root, 'scripts/build'), { recursive: true });
  const programs = await readFile(join(root, 'scripts/build/programs.js'), 'utf8');
  await put(root, 'scripts/build/programs.js', programs.replace(/export const programs = \{[^}]*\};/, "export const programs = { vouch: 'vouch/main.ts', 'work.child': 'other/work.child.ts' };"));
  await put(root, 'package.json', '{"version":"1.2.3","type":"module"}');
  await put(root, 'packages/other/work.child.ts', 'process.send?.(process.argv.slice(2));');
  await put(root, 'packages/verifier/bin/verifier.ts', '');
  await put(root, 'packages/verifier/bin/launcher.mjs', '');
  for (const file of ['app.tsx', 'styles.css', 'page.html']) await put(root, `packages/console/${file}`, '');
  for (const file of ['callbacks.ts', 'client.ts', 'problem.ts', 'generated/schemas.ts']) await put(root, `packages/client/${file}`, 'export {};');
  await put(root, 'packages/client/package.json', '{}');
  await put(root, 'packages/client/README.md', '');
  await put(root, 'examples/verifier/verifier.yaml', '');
  await put(root, 'docs/README.md', '');
  await mkdir(join(root, 'node_modules'));
  for (const name of ['esbuild', '@esbuild', 'typescript', '@typescript', '@types']) await symlink(join(checkout, 'node_modules', name), join(root, 'node_modules', name));
  for (const [path, text] of Object.entries(files)) await put(root, path, text);
  return root;
}

async function put(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

const build = (root: string, ...words: string[]): Promise<unknown> => run(process.execPath, [join(root, 'scripts/build/build.js'), ...words]);

/** Runs the built program of a checkout and returns its output. */
const start = async (root: string): Promise<string> => (await run(process.execPath, [join(root, 'dist/vouch.js')], { cwd: tmpdir() })).stdout.trim();

it('the console takes less than 60 kB of script and 12 kB of style, compressed', async () => {
  await run(process.execPath, [join(checkout, 'scripts/build/build.js')], { cwd: checkout });
  const files = Object.entries(JSON.parse(await readFile(join(checkout, 'dist/console/built/console.json'), 'utf8')) as Record<string, { text: string }>);
  const compressed = (ending: string): number => files.filter(([name]) => name.endsWith(ending)).reduce((sum, [, { text }]) => sum + gzipSync(text).length, 0);
  expect(compressed('.js')).toBeGreaterThan(5_000);
  expect(compressed('.js')).toBeLessThan(60_000);
  expect(compressed('.css')).toBeGreaterThan(1_000);
  expect(compressed('.css')).toBeLessThan(12_000);
});

describe('the build', () => {
  it('follows changes of the sources by their content, and is not made anew without a change', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "import { name } from '@vouch/other/name';\nconsole.log(name);" });
    const source = join(root, 'packages/other/name.ts');
    for (const text of ['old', 'new', 'old']) {
      await put(root, 'packages/other/name.ts', `export const name: string = '${text}';`);
      await utimes(source, 1_700_000_000, 1_700_000_000);
      await build(root);
      expect(await start(root)).toBe(text);
    }
    const { mtimeMs } = await stat(join(root, 'dist/build.json'));
    await build(root);
    expect((await stat(join(root, 'dist/build.json'))).mtimeMs).toBe(mtimeMs);
  });

  it('finds files of the sources, child programs and package.json beside the program, also after a move', async () => {
    const root = await makeCheckout({
      'packages/other/rows.sql': 'SELECT 1;',
      'packages/other/sql/one.sql': 'SELECT 2;',
      'packages/vouch/main.ts': `import { readFileSync } from 'node:fs';
        import { fork } from 'node:child_process';
        const folder = new URL('../other/sql/', import.meta.url);
        const read = (file: URL): string => readFileSync(file, 'utf8');
        fork(new URL('../other/work.child.ts', import.meta.url), ['done']).on('message', (said) => console.log(
          read(new URL('../other/rows.sql', import.meta.url)), read(new URL('one.sql', folder)), JSON.parse(read(new URL('../../package.json', import.meta.url))).version, said,
        ));`,
    });
    await build(root);
    const moved = `${root}-moved`;
    made.push(moved);
    await mkdir(moved);
    for (const part of ['dist', 'package.json']) await rename(join(root, part), join(moved, part));
    await rm(root, { recursive: true });
    expect(await start(moved)).toBe("SELECT 1; SELECT 2; 1.2.3 [ 'done' ]");
  });

  it('names lines of the sources in stacks', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "process.setSourceMapsEnabled(true);\nawait import('./part.ts');", 'packages/vouch/part.ts': "\n\nconsole.log(String(new Error('here').stack));" });
    await build(root);
    expect(await start(root)).toContain(`${join('packages', 'vouch', 'part.ts')}:3:`);
  });

  exhaustiveTest('keeps the files of the build before for the programs that run from it, and of no earlier one', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "await import('./part.ts');" });
    const counts: number[] = [];
    for (const text of ['one', 'two', 'three', 'four']) {
      await put(root, 'packages/vouch/part.ts', `console.log('${text}');`);
      await build(root);
      counts.push((await readdir(join(root, 'dist'))).length);
    }
    expect(counts).toEqual([counts[0], counts[1], counts[1], counts[1]]);
    expect(counts[1]).toBeGreaterThan(counts[0]!);
    await build(root, '--clean');
    expect(await readdir(join(root, 'dist'))).toHaveLength(counts[0]!);
  });

  exhaustiveTest('is whole also where three begin at once, or a file of it was removed', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "await import('./part.ts');", 'packages/vouch/part.ts': "console.log('one');" });
    await Promise.all([build(root), build(root), build(root)]);
    expect(await start(root)).toBe('one');
    for (const name of await readdir(join(root, 'dist'))) if (name.startsWith('part-')) await rm(join(root, 'dist', name));
    await build(root);
    expect(await start(root)).toBe('one');
  });

  it.each(sampleOf([
    ['a fault in a source', 'const = 1;', /packages\/vouch\/main\.ts:1:6: ERROR: Expected identifier/],
    ['a file that it cannot follow', "const name = 'rows';\nconsole.log(new URL(`./${name}.sql`, import.meta.url));", /packages\/vouch\/main\.ts:2: write new URL/],
    ['a program that it does not know', "console.log(new URL('./other.child.ts', import.meta.url));", /packages\/vouch\/other\.child\.ts is started as a program: name it in scripts\/build\/programs\.js/],
  ], 1))('is refused for %s, with its place, and leaves what was built', async (_what, text, said) => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('before');" });
    await build(root);
    await put(root, 'packages/vouch/main.ts', text);
    await expect(build(root)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(said) as string });
    expect(await start(root)).toBe('before');
  });

  it('is refused in a sentence where npm left the compiler of this machine out', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('one');" });
    await rm(join(root, 'node_modules/esbuild'));
    for (const part of ['package.json', 'lib/main.js']) await cp(join(checkout, 'node_modules/esbuild', part), join(root, 'node_modules/esbuild', part));
    await rm(join(root, 'node_modules/@esbuild'));
    await expect(build(root)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^The compiler esbuild does not run on .*@esbuild.*Run npm ci .*\n$/) as string });
    for (const name of ['esbuild', '@esbuild', 'typescript']) await rm(join(root, 'node_modules', name), { recursive: true, force: true });
    for (const name of ['esbuild', '@esbuild']) await symlink(join(checkout, 'node_modules', name), join(root, 'node_modules', name));
    await expect(build(root)).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^The compiler typescript does not run on .*Run npm ci .*\n$/) as string });
  });
});
