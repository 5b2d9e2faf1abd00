import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { licensesOf } from './licenses.js';
import { modules } from './modules.js';

/** Modules of the client that programs import, and types for which a module without code stands. */
const entries = ['callbacks', 'client', 'problem', 'generated/schemas'];

/**
 * Builds the package `@vouch/client` for programs outside of the checkout, because Node runs no TypeScript from node_modules:
 * JavaScript, types, manifest and page. `npm pack` makes a package of the folder.
 * @param {typeof import('esbuild')} esbuild
 * @returns {Promise<{ files: Map<string, Uint8Array | string>, metafile: object }>} contents of the files, keyed by their paths in `dist/`, and esbuild's record
 * @throws esbuild's error; an error whose `compiler` is `typescript` if that compiler does not run
 */
export async function buildClient(esbuild, checkout) {
  const folder = join(checkout, 'packages/client');
  const [{ outputFiles, metafile }, types, manifest] = await Promise.all([
    esbuild.build({
      absWorkingDir: checkout,
      entryPoints: Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.ts`)])),
      outdir: folder,
      ...modules,
      // Node and browsers run the same files.
      platform: 'neutral',
      mainFields: ['module', 'main'],
      target: 'es2022',
    }),
    emitTypes(checkout, folder),
    makeManifest(checkout, folder),
  ]);
  const files = new Map([
    ...outputFiles.map(({ path, contents }) => [relative(folder, path), contents]),
    ...types,
    ['package.json', manifest],
    ['README.md', await readFile(join(folder, 'README.md'))],
    ['THIRD-PARTY-LICENSES.txt', licensesOf(checkout, metafile)],
  ]);
  return { files: new Map([...files].map(([name, contents]) => [`client/${name}`, contents])), metafile };
}

/** Returns the declarations of the client's sources, which name each other as JavaScript. `npm run check` checks the types. */
async function emitTypes(checkout, folder) {
  const made = await mkdtemp(join(tmpdir(), 'vouch-types-'));
  try {
    await promisify(execFile)(process.execPath, [join(checkout, 'node_modules/typescript/bin/tsc'), ...entries.map((name) => join(folder, `${name}.ts`)), '--ignoreConfig', '--declaration', '--emitDeclarationOnly',
      '--noCheck', '--rootDir', folder, '--outDir', made, '--module', 'nodenext', '--target', 'es2022', '--strict', '--allowImportingTsExtensions', '--types', 'node'], { cwd: checkout }).catch((error) => {
      throw Object.assign(error, { compiler: 'typescript', message: `${error.stdout}${error.stderr}`.trim() || error.message });
    });
    const names = (await readdir(made, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
    return await Promise.all(names.map(async (name) => [name, (await readFile(join(made, name), 'utf8')).replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'")]));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

async function makeManifest(checkout, folder) {
  const { version, license, engines } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const { name, description } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const exports = Object.fromEntries(entries.map((entry) => [`./${entry}`, { types: `./${entry}.d.ts`, default: `./${entry}.js` }]));
  return `${JSON.stringify({ name, version, description, license, type: 'module', engines, exports }, null, 2)}\n`;
}
