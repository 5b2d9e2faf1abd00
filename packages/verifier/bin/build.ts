import { chmod, copyFile, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * Bundles the node program into one file with a launcher beside it and an example of the configuration; the folder needs
 * nothing but Node and can be copied to another machine.
 * @returns bytes of the bundle
 */
export async function buildVerifier(folder: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const bundle = join(folder, 'verifier.mjs');
  await build({
    entryPoints: [here('./verifier.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Libraries in CommonJS ask for Node's own modules with require, which an ES module does not have.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    legalComments: 'eof',
    logLevel: 'warning',
  });
  await copyFile(here('./launcher.mjs'), join(folder, 'verifier'));
  await chmod(join(folder, 'verifier'), 0o755);
  await copyFile(here('../../../examples/verifier/verifier.yaml'), join(folder, 'verifier.example.yaml'));
  return (await stat(bundle)).size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? 'dist/verifier';
  const bytes = await buildVerifier(folder);
  process.stdout.write(`${join(folder, 'verifier')}: a launcher and a bundle of ${(bytes / 2 ** 20).toFixed(2)} MB\n`);
}
