import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildWhereChanged } from '../../scripts/build/build.js';

interface Component {
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  scope: string;
  hashes?: { alg: string; content: string }[];
  licenses?: ({ license: { id?: string; name?: string } } | { expression: string })[];
  purl: string;
  properties: { value: string }[];
}

interface Bill {
  bomFormat: string;
  specVersion: string;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const checkout = fileURLToPath(new URL('../../', import.meta.url));
const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);
const permitted = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MPL-2.0', 'Unlicense']);

/** All licenses of a component; every choice of an expression counts. */
function idsOf({ licenses = [] }: Component): string[] {
  return licenses.flatMap((each) => ('expression' in each ? each.expression.split(/ (?:OR|AND) /) : [each.license.id ?? each.license.name ?? 'none']));
}

let dist: string;
let bill: Bill;

beforeAll(async () => {
  dist = await buildWhereChanged();
  bill = JSON.parse(await readFile(join(dist, 'sbom.cdx.json'), 'utf8')) as Bill;
});

describe('the bill of materials', () => {
  it('names the packages whose licenses are printed as bundled, in the same versions, and no others', async () => {
    const texts = await Promise.all(['THIRD-PARTY-LICENSES.txt', 'verifier/THIRD-PARTY-LICENSES.txt'].map((name) => readFile(join(dist, name), 'utf8')));
    const printed = texts.flatMap((text) => text.split(`\n\n${'-'.repeat(80)}\n\n`).map((part) => /^\S+ \S+(?= \()/.exec(part)?.[0] ?? part.slice(0, 40)));
    const bundled = bill.components.filter(({ properties }) => properties[0]?.value === 'bundled').map((each) => `${nameOf(each)} ${each.version}`);
    expect(bundled.length).toBeGreaterThan(50);
    expect([...new Set(bundled)].sort()).toEqual([...new Set(printed)].sort());
  });

  it('names every dependency of the package in the installed version, with its digest and license', async () => {
    const { name, version, dependencies, optionalDependencies } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as Record<'dependencies' | 'optionalDependencies', Record<string, string>> & { name: string; version: string };
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name, version } } });
    const wanted = Object.entries({ ...dependencies, ...optionalDependencies });
    const found = new Map(bill.components.map((each) => [`${nameOf(each)}@${each.version}`, each]));
    for (const [dependency, exact] of wanted) {
      expect(found.has(`${dependency}@${exact}`), dependency).toBe(true);
      expect(found.get(`${dependency}@${exact}`)?.hashes?.[0]?.content, dependency).toMatch(/^[0-9a-f]{128}$/);
    }
    expect(bill.components.find(({ name: each }) => each === 'esbuild' || each === 'vitest')).toBeUndefined();
    expect(found.get(`node-av@${optionalDependencies['node-av']}`)?.purl).toBe(`pkg:npm/node-av@${optionalDependencies['node-av']}`);
    expect(found.get(`@aws-sdk/client-s3@${optionalDependencies['@aws-sdk/client-s3']}`)?.purl).toBe(`pkg:npm/%40aws-sdk/client-s3@${optionalDependencies['@aws-sdk/client-s3']}`);
  });

  it('states the license of FFmpeg for the binaries that contain it', () => {
    const binaries = bill.components.filter((each) => nameOf(each).startsWith('@seydx/node-av-'));
    expect(binaries.length).toBeGreaterThan(1);
    for (const { licenses } of binaries) expect(licenses).toEqual([{ expression: 'MIT AND GPL-3.0-or-later', acknowledgement: 'concluded' }]);
  });

  it('has only licenses that permit to distribute Vouch under Apache-2.0, except in the optional part that the guide names', () => {
    const undeclared = bill.components.filter(({ licenses }) => licenses === undefined).map(nameOf);
    // The lock has no license for builds of other platforms, nor for werift, which is replaced by an empty package.
    expect(undeclared.filter((name) => !/^(@duckdb\/node-bindings-|@foundry-rs\/anvil-|werift$)/.test(name))).toEqual([]);
    const others = bill.components.filter((each) => !nameOf(each).startsWith('@seydx/node-av-'));
    const refused = others.flatMap((each) => idsOf(each).filter((id) => !permitted.has(id)).map((id) => `${nameOf(each)}: ${id}`));
    expect(refused).toEqual([]);
  });

  it('connects components that it has, each once', () => {
    const refs = bill.components.map((each) => each['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const known = new Set([bill.metadata.component['bom-ref'], ...refs]);
    expect(bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref))).toEqual([]);
    const reached = new Set(bill.dependencies.flatMap(({ dependsOn }) => dependsOn));
    expect(refs.filter((ref) => !reached.has(ref))).toEqual([]);
  });
});
