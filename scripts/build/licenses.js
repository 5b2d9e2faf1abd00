import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Text of `dist/THIRD-PARTY-LICENSES.txt`: each bundled package with its license text, as the licenses require. */
export function licensesOf(checkout, metafile) {
  const folders = new Set(Object.keys(metafile.inputs).flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  return [...folders].toSorted().map((folder) => describe(join(checkout, folder))).join(`\n\n${'-'.repeat(80)}\n\n`);
}

function describe(folder) {
  const { name, version, license, homepage, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const source = homepage ?? (typeof repository === 'string' ? repository : repository?.url) ?? '';
  const file = existsSync(folder) ? readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) : undefined;
  return `${name} ${version} (${license}) ${source}\n\n${file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()}`.trim();
}
