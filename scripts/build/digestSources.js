import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that the build reads, as a pattern for each folder. */
export const readByBuild = { packages: /\.(tsx?|m?js|json|css|html|sql|sol|wasm|sh|py)$/, 'scripts/build': /\.js$/, 'examples/verifier': /\.yaml$/, docs: /\.(md|png|webp)$/ };

/**
 * Computes a digest of the contents of all files that the build reads. Sizes and times are not sufficient, because some tools
 * unpack checkouts with fixed times.
 * @param {string} checkout
 */
export function digestSources(checkout) {
  const hash = createHash('sha256');
  for (const path of [...listSources(checkout), 'package.json', 'node_modules/.package-lock.json']) {
    const content = readIfThere(join(checkout, path));
    hash.update(`\n${path} ${content?.length}\n`).update(content ?? '');
  }
  return hash.digest('hex');
}

function listSources(checkout) {
  return Object.entries(readByBuild).filter(([folder]) => existsSync(join(checkout, folder))).flatMap(([folder, names]) => readdirSync(join(checkout, folder), { recursive: true })
    .filter((path) => names.test(path) && !path.endsWith('.test.ts') && !path.includes('node_modules'))
    .map((path) => join(folder, path))
    .toSorted());
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
