import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;

const source = `interface Unused { text: string }

export async function rejects(): Promise<never> {
  await null;
  return fails();
}

function fails(): never {
  const unused: Unused = { text: '' };
  throw new TypeError(\`line\\nbreak\${unused.text}\`);
}

export const asksNode = (): URL => new URL('no address');
`;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vouch-stacks-'));
  mkdirSync(join(folder, 'dist'));
  const { code, map } = transformSync(source, { loader: 'ts', sourcemap: 'external', sourcefile: '../sources/thing.ts', minifyWhitespace: true });
  writeFileSync(join(folder, 'dist/thing.mjs'), `${code}//# sourceMappingURL=thing.mjs.map\n`);
  writeFileSync(join(folder, 'dist/thing.mjs.map'), map);
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Returns stack traces of the compiled file. */
function stacksOf(first: string, ...options: string[]): string[] {
  const program = `${first}
    const { rejects, asksNode } = await import(${JSON.stringify(pathToFileURL(join(folder, 'dist/thing.mjs')).href)});
    const own = new Error('not of a file');
    const errors = await Promise.all([rejects, async () => asksNode(), async () => { throw own; }].map((call) => call().catch((error) => error)));
    console.log(JSON.stringify(errors.map(({ stack }) => stack)));`;
  return JSON.parse(execFileSync(process.execPath, [...options, '--input-type=module', '-e', program], { encoding: 'utf8' })) as string[];
}

test('stack traces name the lines of the sources, as those of Node with --enable-source-maps do', () => {
  const mapper = new URL('./mapStacks.js', import.meta.url).href;
  const ours = stacksOf(`(await import(${JSON.stringify(mapper)})).mapStacks();`);
  expect(ours[0]).toContain(`TypeError: line\nbreak\n    at fails (${join(folder, 'sources/thing.ts')}:10:9)`);
  expect(ours[0]).toMatch(/at async .*/);
  // The program of the call itself has no source map; its line numbers do not differ.
  const strip = (stacks: string[]): string[] => stacks.map((stack) => stack.split('\n').filter((line) => !line.includes('[eval')).join('\n'));
  expect(strip(ours)).toEqual(strip(stacksOf('', '--enable-source-maps')));
});
