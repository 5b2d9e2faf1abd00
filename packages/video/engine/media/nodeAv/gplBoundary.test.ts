import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const engine = fileURLToPath(new URL('../..', import.meta.url));
const programs = ['media/nodeAv/nodeAv.child.ts', 'testing/clips/makeFixture.child.ts'];

/** Files of the engine with an import that matches the pattern. */
function importers(pattern: RegExp): string[] {
  return readdirSync(engine, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => importsOf(file).some((specifier) => pattern.test(specifier)));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(engine, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1] ?? '');
}

/** The files that are loaded by importing `file`, including files imported for their types only. */
function reach(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const specifier of importsOf(file).filter((name) => name.startsWith('.'))) {
    const target = relative(engine, resolve(engine, dirname(file), specifier));
    if (!target.startsWith('..')) reach(target, seen);
  }
  return seen;
}

describe('the libraries under the GPL', () => {
  it('are reached from the two programs that run in processes of their own, and from nothing else', () => {
    const loading = importers(/^node-av(?:\/|$)/);
    expect(loading.length).toBeGreaterThan(5);
    const reached = new Set(programs.flatMap((program) => [...reach(program)]));
    expect(loading.filter((file) => !reached.has(file))).toEqual([]);
    expect(importers(/\.child\.ts$/)).toEqual([]);
    for (const outside of ['media/nodeAv/nodeAvBackend.ts', 'backend/openMediaBackend.ts', 'testing/clips/makeFixture.ts']) {
      expect([...reach(outside)].filter((file) => loading.includes(file))).toEqual([]);
    }
  });

  it('are loaded without the higher layers, which need install scripts and further packages', () => {
    const specifiers = importers(/^node-av/).flatMap(importsOf).filter((name) => name.startsWith('node-av'));
    expect([...new Set(specifiers)].sort()).toEqual(['node-av/constants', 'node-av/lib']);
  });

  it('make frames of pixels only with copyPixels, because fromVideoBuffer points into memory that the garbage collector frees', () => {
    const users = readdirSync(engine, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .filter((file) => /\.fromVideoBuffer\(/.test(readFileSync(join(engine, file), 'utf8')));
    expect(users).toEqual([]);
  });
});
