import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Returns the pages and pictures that the program serves at `/docs`, keyed by their paths in `dist/`. */
export function loadDocumentation(checkout) {
  const folder = join(checkout, 'docs');
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(?:md|png|webp)$/.test(name));
  return new Map(names.map((name) => [posix.join('docs', name), readFileSync(join(folder, name))]));
}
