import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { licensesOf } from './licenses.js';

/**
 * Bundles the verifier node into one file, with a launcher and an example configuration. The folder requires only Node and can be
 * copied to another machine; `npm pack` makes a package of the folder.
 * @param {typeof import('esbuild')} esbuild
 * @returns {Promise<{ files: Map<string, Uint8Array | string>, metafile: object }>} contents of the files, keyed by their paths in `dist/`, and esbuild's record
 */
export async function buildVerifier(esbuild, checkout, dist) {
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: checkout,
    entryPoints: [join(checkout, 'packages/verifier/bin/verifier.ts')],
    outfile: join(dist, 'verifier/verifier.mjs'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // CommonJS libraries load Node's built-in modules with require, which ES modules do not have.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    legalComments: 'none',
    logLevel: 'silent',
  });
  const { version, license, engines } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const manifest = { name: 'vouch-verifier', version, license, bin: { verifier: 'verifier' }, engines };
  const files = new Map([
    ['verifier/verifier.mjs', outputFiles[0].contents],
    ['verifier/verifier', await readFile(join(checkout, 'packages/verifier/bin/launcher.mjs'))],
    ['verifier/verifier.example.yaml', await readFile(join(checkout, 'examples/verifier/verifier.yaml'))],
    ['verifier/package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ['verifier/THIRD-PARTY-LICENSES.txt', licensesOf(checkout, metafile)],
  ]);
  return { files, metafile };
}
