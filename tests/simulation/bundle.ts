import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/** A fault that is put into the source: one text of one file becomes another. */
export interface Plant {
  file: string;
  replace: string;
  by: string;
}

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const packages = join(checkout, 'packages');

/**
 * Bundles the simulation with the production code, with at most one planted fault.
 * @param name name of the bundle's file
 * @returns path of the bundle
 * @throws Error if the text to replace does not occur exactly once
 */
export async function bundleSimulation(name: string, plant: Plant | null): Promise<string> {
  const folder = join(checkout, 'node_modules/.cache/vouch-simulation');
  await mkdir(folder, { recursive: true });
  const outfile = join(folder, `${name}.mjs`);
  let planted = plant === null;
  await build({
    entryPoints: [join(checkout, 'tests/simulation/program.ts')],
    outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20.19', sourcemap: 'inline', sourcesContent: false, logLevel: 'silent',
    plugins: [{
      name: 'sources of this checkout, with a planted fault',
      setup(builder) {
        builder.onResolve({ filter: /^@vouch\/[^/]+\/./ }, ({ path }) => ({ path: join(packages, `${path.slice('@vouch/'.length)}.ts`) }));
        builder.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => (kind === 'entry-point' || path.startsWith('@vouch/') ? undefined : { path, external: true }));
        builder.onLoad({ filter: /[/\\]packages[/\\].*\.ts$/ }, async ({ path }) => {
          const text = await readFile(path, 'utf8');
          const isPlace = relative(checkout, path) === plant?.file;
          planted ||= isPlace;
          const source = isPlace ? replaceOnce(text, plant!) : text;
          return { contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
        });
      },
    }],
  });
  if (!planted) throw new Error(`the simulation does not contain ${plant?.file}`);
  return outfile;
}

/**
 * Puts a fault into the text of its file.
 * @throws Error if the text to replace does not occur exactly once
 */
export function replaceOnce(text: string, { file, replace, by }: Plant): string {
  const parts = text.split(replace);
  if (parts.length !== 2) throw new Error(`${file} contains ${parts.length - 1} times, instead of once: ${replace}`);
  return parts.join(by);
}
