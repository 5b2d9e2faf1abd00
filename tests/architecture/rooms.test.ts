import { describe, expect, it } from 'vitest';
import { cycles, importedFile, importGraph, twoWayPairs } from './importGraph.ts';
import { importsOf, readSources, type SourceFile } from './sourceText.ts';

const isTest = (path: string): boolean => path.endsWith('.test.ts');
const isTesting = (path: string): boolean => path.includes('/testing/');

/** Production code and test helpers in `testing/` folders. Tests may import from everywhere. */
const sources = readSources('packages', (path) => /\.tsx?$/.test(path) && !isTest(path));
const graph = importGraph(sources);

function importsOfTesting(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !isTesting(path)).flatMap(({ path, text }) => importsOf(text)
    .filter(({ specifier }) => isTesting(importedFile(path, specifier) ?? ''))
    .map(({ specifier, line }) => `${path}:${line} imports ${specifier}`));
}

describe('rooms', () => {
  it('import in one direction: no two folders of a package import each other', () => {
    expect([...twoWayPairs(graph)].map(([pair, imports]) => `${pair}: ${imports}`)).toEqual([]);
  });

  it('have no import cycle of files, not even of types', () => {
    expect([...cycles(graph).values()]).toEqual([]);
  });

  it('keep helpers of tests away from production code, which imports nothing from a testing/ folder', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(importsOfTesting(sources)).toEqual([]);
  });
});

describe('the test of rooms', () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  it('finds pairs of types, of a package root, and through the name of the own package', () => {
    const pairs = twoWayPairs(importGraph([
      file('packages/video/product.ts', "import { run } from './runs/run.ts';"),
      file('packages/video/runs/run.ts', "import type { Part } from '@vouch/video/product';\nimport { cut } from '../engine/cut.ts';"),
      file('packages/video/engine/cut.ts', "import { zero } from '@vouch/platform/zero';"),
      file('packages/platform/zero.ts', "import '@vouch/video/engine/cut';"),
    ]));
    expect([...pairs.keys()]).toEqual(['packages/video <> packages/video/runs']);
  });

  it('finds cycles of two and of more files, and names only the files on the cycle', () => {
    const found = cycles(importGraph([
      file('packages/a/one.ts', "import type { Two } from './two.ts';"),
      file('packages/a/two.ts', "export { three } from './three.ts';"),
      file('packages/a/three.ts', "const one = await import('./one.ts');\nimport './leaf.ts';"),
      file('packages/a/leaf.ts', ''),
      file('packages/a/user.ts', "import './one.ts';"),
    ]));
    expect([...found.keys()]).toEqual(['packages/a/one.ts', 'packages/a/two.ts', 'packages/a/three.ts']);
    expect(found.get('packages/a/two.ts')).toBe('packages/a/two.ts → packages/a/three.ts → packages/a/one.ts → packages/a/two.ts');
  });

  it('refuses testing/ in production code, of any package, and lets testing/ import itself', () => {
    const breaches = importsOfTesting([
      file('packages/gateway/x.ts', "import { chain } from '@vouch/chain/testing/chain';"),
      file('packages/chain/testing/chain.ts', "import { key } from './key.ts';"),
    ]);
    expect(breaches).toEqual(['packages/gateway/x.ts:1 imports @vouch/chain/testing/chain']);
  });
});
