import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const run = promisify(execFile);
const checkout = fileURLToPath(new URL('../../', import.meta.url));
let project: string;

/** A project outside of the checkout in which the built package is installed. */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'vouch-client-'));
  await cp(join(checkout, 'dist/client'), join(project, 'node_modules/@vouch/client'), { recursive: true });
  await symlink(join(checkout, 'node_modules/@types'), join(project, 'node_modules/@types'));
  await writeFile(join(project, 'package.json'), '{"type":"module"}');
});
afterAll(() => rm(project, { recursive: true, force: true }));

const read = async (path: string): Promise<string> => readFile(join(project, 'node_modules/@vouch/client', path), 'utf8');

it('has every entry that its manifest names, no dependencies, and the licenses of what it contains', async () => {
  const { exports, ...manifest } = JSON.parse(await read('package.json')) as { exports: Record<string, Record<string, string>> };
  expect(manifest).toEqual({ name: '@vouch/client', version: expect.any(String) as string, description: expect.any(String) as string, license: 'Apache-2.0', type: 'module', engines: { node: '>=20.19' } });
  expect(Object.keys(exports)).toEqual(['./callbacks', './client', './problem', './generated/schemas']);
  for (const file of Object.values(exports).flatMap((entry) => Object.values(entry))) await read(file);
  expect(await read('THIRD-PARTY-LICENSES.txt')).toContain('standardwebhooks');
  const files = (await readdir(join(project, 'node_modules/@vouch/client'), { recursive: true })).filter((path) => path.endsWith('.js'));
  for (const path of files) expect([...(await read(path)).matchAll(/(?:from|import) ?["']([^."'][^"']*)["']/g)].map((match) => match[1])).toEqual([]);
});

it('runs in Node without a loader, and its errors are instances of one class', async () => {
  await writeFile(join(project, 'run.js'), `
    import { createClient } from '@vouch/client/client';
    import { verifyCallback } from '@vouch/client/callbacks';
    import { VouchError } from '@vouch/client/problem';
    const vouch = createClient({ url: 'http://server.example', fetch: async () => Response.json({ code: 'unauthorized', detail: 'Send a key.' }, { status: 401 }) });
    const error = await vouch.getHealth().catch((cause) => cause);
    let refusal = null;
    try { verifyCallback('whsec_' + Buffer.alloc(24).toString('base64'), {}, '{}'); } catch (cause) { refusal = cause.message; }
    console.log(JSON.stringify([error instanceof VouchError, error.code, refusal]));`);
  const { stdout } = await run(process.execPath, ['run.js'], { cwd: project });
  expect(JSON.parse(stdout)).toEqual([true, 'unauthorized', 'Missing required headers']);
});

it.each([['nodenext', 'nodenext'], ['esnext', 'bundler']])('has types for the module kind %s, with which the example of its page compiles', async (module, moduleResolution) => {
  const [, example] = /```ts\n(.*?)```/s.exec(await read('README.md')) ?? [];
  expect(example).toContain('createClient');
  await writeFile(join(project, 'example.ts'), `${example}\nexport const list: number = recommendations;`);
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { module, moduleResolution, target: 'es2022', types: ['node'], strict: true, noEmit: true, skipLibCheck: false }, files: ['example.ts'] }));
  const { stdout } = await run(process.execPath, [join(checkout, 'node_modules/typescript/bin/tsc'), '-p', project]).catch((error: unknown) => error as { stdout: string });
  // The one wrong line is found, so the types are not `any`.
  expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^.*example\.ts\(\d+,\d+\): error TS2322: .* is not assignable to type 'number'\.$/)]);
});
