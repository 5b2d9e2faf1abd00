import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const compiler = new URL('./compile.js', import.meta.url).href;
const nodeChild = fileURLToPath(new URL('../../platform/process/nodeChild.ts', import.meta.url));
const doors = fileURLToPath(new URL('../../platform/process/doors.ts', import.meta.url));
const made: string[] = [];

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A checkout of a few files. */
async function makeCheckout(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'vouch-compile-'));
  made.push(root);
  for (const [path, text] of Object.entries({ 'node_modules/.package-lock.json': '{}', ...files })) await put(root, path, text);
  return root;
}

async function put(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** What the program of a checkout prints. */
async function start(root: string): Promise<string> {
  const program = `import { compileProgram } from ${JSON.stringify(compiler)};
    process.setSourceMapsEnabled(true);
    const compiled = await compileProgram(${JSON.stringify(root)});
    if (compiled === null) console.log('nowhere to write');
    else await import(compiled);`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program]);
  return stdout.trim();
}

function compiledPrograms(root: string): Promise<string[]> {
  return readdir(join(root, 'node_modules/.cache/vouch'));
}

describe('the compiled program', () => {
  it('does what the sources say, and knows where they are', async () => {
    const root = await makeCheckout({
      'packages/vouch/main.ts': "import { name } from './parts/name.ts';\nconsole.log(name satisfies string, import.meta.url);",
      'packages/vouch/parts/name.ts': "export const name: string = 'a program';",
    });
    expect(await start(root)).toBe(`a program ${pathToFileURL(join(root, 'packages/vouch/main.ts')).href}`);
  });

  it('is compiled once, and again after any source has changed', async () => {
    const root = await makeCheckout({
      'packages/vouch/main.ts': "import { name } from '../other/name.ts';\nconsole.log(name);", 'packages/other/name.ts': "export const name = 'old';",
    });
    expect(await start(root)).toBe('old');
    expect(await start(root)).toBe('old');
    expect(await compiledPrograms(root)).toHaveLength(1);
    await put(root, 'packages/other/name.ts', "export const name = 'new';");
    expect(await start(root)).toBe('new');
    expect(await compiledPrograms(root)).toHaveLength(2);
  });

  it('is compiled again after a change that leaves size and time as they were', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('old');" });
    const main = join(root, 'packages/vouch/main.ts');
    for (const text of ['old', 'new', 'old']) {
      await put(root, 'packages/vouch/main.ts', `console.log('${text}');`);
      await utimes(main, 1_700_000_000, 1_700_000_000);
      expect(await start(root)).toBe(text);
    }
    expect(await compiledPrograms(root)).toHaveLength(2);
  });

  it('is that of the checkout it is started in, also where that was copied with its times, or moved', async () => {
    const root = await makeCheckout({
      'packages/vouch/main.ts': "import { name } from '@vouch/platform/name';\nconsole.log(name, import.meta.url);",
      'packages/platform/name.ts': "export const name = 'the first';",
      'packages/platform/package.json': '{"name":"@vouch/platform","type":"module","exports":{"./*":"./*.ts"}}',
    });
    await mkdir(join(root, 'node_modules/@vouch'));
    await symlink('../../packages/platform', join(root, 'node_modules/@vouch/platform'));
    const mainOf = (of: string): string => pathToFileURL(join(of, 'packages/vouch/main.ts')).href;
    expect(await start(root)).toBe(`the first ${mainOf(root)}`);

    const [copy, moved, linked] = ['copy', 'moved', 'linked'].map((name) => { made.push(`${root}-${name}`); return `${root}-${name}`; }) as [string, string, string];
    await run('cp', ['-a', root, copy]);
    expect(await start(copy)).toBe(`the first ${mainOf(copy)}`);
    const { atime, mtime } = await stat(join(copy, 'packages/platform/name.ts'));
    await put(copy, 'packages/platform/name.ts', "export const name = 'the other';");
    await utimes(join(copy, 'packages/platform/name.ts'), atime, mtime);
    expect(await start(copy)).toBe(`the other ${mainOf(copy)}`);
    expect(await start(root)).toBe(`the first ${mainOf(root)}`);

    // A second checkout that uses what the first one has installed.
    await run('cp', ['-a', copy, linked]);
    await rm(join(linked, 'node_modules'), { recursive: true });
    await symlink(join(root, 'node_modules'), join(linked, 'node_modules'));
    expect(await start(linked)).toBe(`the other ${mainOf(linked)}`);

    await rename(root, moved);
    expect(await start(moved)).toBe(`the first ${mainOf(moved)}`);
  });

  it('is whole also where two begin at once', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('one');" });
    expect(await Promise.all([start(root), start(root), start(root)])).toEqual(['one', 'one', 'one']);
    expect(await compiledPrograms(root)).toHaveLength(1);
  });

  it('starts its child programs compiled, with the same sources', async () => {
    const root = await makeCheckout({
      'packages/vouch/main.ts': `import { startNodeChild } from ${JSON.stringify(nodeChild)};
        import { realDoors } from ${JSON.stringify(doors)};
        const child = startNodeChild({
          file: new URL('../other/work.child.ts', import.meta.url), parse: String, received: (said) => console.log(said),
        }, realDoors.timers);
        await child.done;`,
      'packages/other/work.child.ts': "const text: string = process.argv[1] ?? ''; process.send?.(text.slice(text.indexOf('other')));",
    });
    expect(await start(root)).toBe('other/work.child.mjs');
  });

  it('names lines of the sources in stacks', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "\n\nconsole.log(String(new Error('here').stack));" });
    expect(await start(root)).toContain(`${join('packages', 'vouch', 'main.ts')}:3:`);
  });

  it('says what is wrong with a source that cannot be compiled', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': 'const = 1;' });
    await expect(start(root)).rejects.toThrow(/Expected identifier/);
  });

  it.skipIf(process.platform !== 'linux')('runs without the process that compiled it', async () => {
    const root = await makeCheckout({
      'packages/vouch/main.ts': `import { readdirSync, readFileSync } from 'node:fs';
        const parentOf = (pid: string): number => { try { return Number(readFileSync(\`/proc/\${pid}/stat\`, 'latin1').split(') ')[1]?.split(' ')[1]); } catch { return 0; } };
        while (readdirSync('/proc').some((name) => /^\\d+$/.test(name) && parentOf(name) === process.pid)) await new Promise((done) => setTimeout(done, 20));
        console.log('alone');`,
    });
    expect(await start(root)).toBe('alone');
  });

  it('is refused in a sentence where npm left the compiler of this machine out', async () => {
    const root = await makeCheckout({ 'package.json': '{"type":"module"}', 'packages/vouch/main.ts': "console.log('one');" });
    const esbuild = fileURLToPath(new URL('../', import.meta.resolve('esbuild')));
    for (const part of ['package.json', 'lib/main.js']) await cp(join(esbuild, part), join(root, 'node_modules/esbuild', part));
    for (const name of ['vouch.js', 'run.js', 'compile.js']) await cp(fileURLToPath(new URL(name, import.meta.url)), join(root, 'packages/vouch/bin', name));
    const started = run(process.execPath, [join(root, 'packages/vouch/bin/vouch.js')]);
    await expect(started).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^vouch: The compiler esbuild does not run on .*@esbuild.*Run npm ci .*\n$/) });
  });

  it('is not there where its folder cannot be written', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('one');", 'node_modules/.cache': 'a file' });
    expect(await start(root)).toBe('nowhere to write');
  });

  it('keeps sixteen of its versions', async () => {
    const root = await makeCheckout({ 'packages/vouch/main.ts': "console.log('one');" });
    for (let version = 0; version < 20; version++) await put(root, `node_modules/.cache/vouch/old${version}/vouch/main.mjs`, '');
    await start(root);
    expect(await compiledPrograms(root)).toHaveLength(16);
  });
});
