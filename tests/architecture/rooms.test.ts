import { describe, expect, it } from 'vitest';
import { cycles, importedFile, importGraph, roomsWithOneUser, twoWayPairs } from './importGraph.ts';
import { importsOf, loadSources, type SourceFile } from './sourceText.ts';

const isTest = (path: string): boolean => path.endsWith('.test.ts');
const isTesting = (path: string): boolean => path.includes('/testing/');

/** Production code and test helpers in `testing/` folders. Tests may import from everywhere. */
const sources = loadSources('packages', (path) => /\.tsx?$/.test(path) && !isTest(path));
const graph = importGraph(sources);

/** The compartment of a room: the engine that the room is in, otherwise its package. Other packages and rooms enter engines by several doors. */
function compartmentOf(room: string): string {
  return /^packages\/[^/]+(?:\/engine(?=\/|$))?/.exec(room)?.[0] ?? room;
}

/** Rooms with one user that are rooms of their own, each with its reason. */
const ownRooms: Readonly<Record<string, string>> = {
  'packages/chain/contracts/test/support': 'belongs to the tests of the contracts; the mutants run the same tests',
  'packages/video/engine/media/nodeAv': 'one of two implementations of the interface in media/, beside media/ffmpeg',
  'packages/video/engine/reading': 'the stages of an analysis; process/ only decides where they run',
  'packages/vouch/backup': 'what a command does; commands/ only declares names and options',
  'packages/vouch/conformance': 'what a command does',
  'packages/vouch/contracts': 'what a command does',
  'packages/vouch/demo': 'what a command does',
  'packages/vouch/summarize': 'what a command does',
};

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

  it('are part of the only room that enters them: below that room, or in it', () => {
    const found = roomsWithOneUser(importGraph(sources.filter(({ path }) => !isTesting(path))), compartmentOf).map((pair) => pair.split(' < ') as [string, string]);
    expect(found.filter(([room]) => ownRooms[room] === undefined)).toEqual([]);
    expect(Object.keys(ownRooms).filter((room) => found.every(([each]) => each !== room)), 'exceptions that no room needs').toEqual([]);
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

  it('finds rooms with one user, unless they are below the user or in another compartment', () => {
    const found = roomsWithOneUser(importGraph([
      file('packages/a/part/x.ts', ''),
      file('packages/a/user/x.ts', "import '../part/x.ts';\nimport './below/x.ts';\nimport '../shared/x.ts';\nimport '../engine/x.ts';"),
      file('packages/a/user/below/x.ts', "import '../../shared/x.ts';"),
      file('packages/a/shared/x.ts', ''),
      file('packages/a/engine/x.ts', ''),
      file('packages/b/x.ts', "import '@vouch/a/user/x';"),
    ]), compartmentOf);
    expect(found).toEqual(['packages/a/part < packages/a/user']);
  });

  it('refuses testing/ in production code, of any package, and lets testing/ import itself', () => {
    const breaches = importsOfTesting([
      file('packages/gateway/x.ts', "import { chain } from '@vouch/chain/testing/chain';"),
      file('packages/chain/testing/chain.ts', "import { key } from './key.ts';"),
    ]);
    expect(breaches).toEqual(['packages/gateway/x.ts:1 imports @vouch/chain/testing/chain']);
  });
});
