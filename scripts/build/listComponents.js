import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Text of `dist/sbom.cdx.json`, the software bill of materials in CycloneDX 1.6: the bundled packages, and the packages that npm installs beside them.
 * The same sources give the same bytes, so the document has neither a date nor a random serial number.
 * @param metafiles esbuild's records of the bundled files
 */
export function listComponents(checkout, metafiles) {
  const lock = join(checkout, 'package-lock.json');
  const packages = existsSync(lock) ? JSON.parse(readFileSync(lock, 'utf8')).packages : {};
  const { name, version, license, dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'));
  const bundled = new Set(metafiles.flatMap(({ inputs }) => Object.keys(inputs)).flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []).filter((path) => path in packages));
  const direct = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((each) => resolve(packages, '', each));
  const installed = reach(packages, direct);
  const paths = [...new Set([...bundled, ...installed])].toSorted();
  const own = { type: 'application', 'bom-ref': `pkg:npm/${name}@${version}`, name, version, purl: `pkg:npm/${name}@${version}`, licenses: licensesOf(license) };
  const refs = new Map(paths.map((path) => [path, `${purlOf(path, packages[path])}#${path}`]));
  return `${JSON.stringify({
    bomFormat: 'CycloneDX', specVersion: '1.6', version: 1,
    metadata: { component: own },
    components: paths.map((path) => describe(path, packages[path], refs.get(path), bundled.has(path))),
    dependencies: [
      { ref: own['bom-ref'], dependsOn: [...new Set([...bundled, ...direct])].toSorted().map((path) => refs.get(path)) },
      ...[...installed].toSorted().map((path) => ({ ref: refs.get(path), dependsOn: dependenciesOf(packages, path).toSorted().map((each) => refs.get(each)) })),
    ],
  }, null, 1)}\n`;
}

function describe(path, { version, license, integrity, optional }, ref, isBundled) {
  const [group, name] = nameOf(path);
  const [algorithm, digest] = integrity?.split(/-(.*)/) ?? [];
  return {
    type: 'library', 'bom-ref': ref, ...(group === null ? {} : { group }), name, version, scope: optional === true && !isBundled ? 'optional' : 'required',
    ...(algorithm === 'sha512' ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] } : {}),
    ...licensesIn(path, license),
    purl: purlOf(path, { version }),
    properties: [{ name: 'vouch:delivery', value: isBundled ? 'bundled' : 'installed by npm' }],
  };
}

function licensesIn(path, license) {
  // The packages declare the license of their own code alone; the binaries contain FFmpeg with its GPL parts.
  if (path.includes('node_modules/@seydx/node-av-')) return { licenses: [{ expression: 'MIT AND GPL-3.0-or-later', acknowledgement: 'concluded' }] };
  return license === undefined ? {} : { licenses: licensesOf(license) };
}

/** One license by its SPDX id, an expression of several, or a text that is neither. */
function licensesOf(text) {
  if (/ (?:OR|AND|WITH) /.test(text)) return [{ expression: text }];
  return [{ license: /^[A-Z0-9][A-Za-z0-9.+-]*$/.test(text) && text !== 'UNLICENSED' ? { id: text } : { name: text } }];
}

function nameOf(path) {
  const parts = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length).split('/');
  return parts.length === 2 ? parts : [null, parts[0]];
}

function purlOf(path, { version }) {
  const [group, name] = nameOf(path);
  return `pkg:npm/${group === null ? '' : `${encodeURIComponent(group)}/`}${name}@${version}`;
}

/** All packages that the given ones need, with themselves. */
function reach(packages, from) {
  const found = new Set(from);
  for (const path of found) for (const each of dependenciesOf(packages, path)) found.add(each);
  return found;
}

function dependenciesOf(packages, path) {
  const { dependencies = {}, optionalDependencies = {} } = packages[path];
  return [...new Set(Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => resolve(packages, path, name)))];
}

/** The place of a package as Node finds it: in the folder that needs it, else in the folders above. */
function resolve(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in packages) return [path];
    if (folder === '') return [];
  }
}
