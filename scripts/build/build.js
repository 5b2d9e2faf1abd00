#!/usr/bin/env node
// npm run build: builds dist/. With --clean, as used before npm pack, also removes the files of the previous build.
import { existsSync } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildClient } from './buildClient.js';
import { buildConsole } from './buildConsole.js';
import { buildVerifier } from './buildVerifier.js';
import { digestSources } from './digestSources.js';
import { licensesOf } from './licenses.js';
import { listComponents } from './listComponents.js';
import { checkout, installed, neverInstalled, programs } from './programs.js';
import { modules } from './modules.js';
import { loadDocumentation } from './loadDocumentation.js';
import { loadSolidity } from './loadSolidity.js';
import { resolveFiles } from './resolveFiles.js';
import { loadCopied, removeOthers, writeFiles } from './writeFiles.js';

const dist = join(checkout, 'dist');
/** File in dist/ with the digest of the sources and the names of the built files. */
const record = 'build.json';

/** The program cannot be built on this machine. The message is addressed to the user who started the program. */
export class CompilerMissing extends Error {}

/**
 * Builds `dist/` if the sources have changed since the last build.
 * @returns {Promise<string>} the folder
 * @throws esbuild's error if the sources do not compile; `CompilerMissing` if esbuild or typescript does not run
 */
export async function buildWhereChanged() {
  const digest = digestSources(checkout);
  const last = await loadRecord();
  const whole = last?.digest === digest && last.files.every((path) => existsSync(join(dist, path)));
  if (!whole) await build(digest, last?.files ?? []);
  return dist;
}

/** Files of the previous build are kept, because a server that runs from them loads some parts later. */
async function build(digest, before) {
  const files = await withEsbuild(async (esbuild) => {
    const [client, consolePage, verifier] = await Promise.all([buildClient(esbuild, checkout), buildConsole(esbuild, checkout), buildVerifier(esbuild, checkout, dist)]);
    const program = await buildProgram(esbuild);
    const components = listComponents(checkout, [program.metafile, client.metafile, consolePage.metafile, verifier.metafile]);
    const licenses = licensesOf(checkout, { inputs: { ...program.metafile.inputs, ...consolePage.metafile.inputs } });
    return new Map([...program.files, ...client.files, ...consolePage.files, ...verifier.files, ['sbom.cdx.json', components], ['THIRD-PARTY-LICENSES.txt', licenses]]);
  });
  await writeFiles(dist, files, ['vouch.js', 'verifier/verifier']);
  const names = [...files.keys()];
  await writeFiles(dist, new Map([[record, JSON.stringify({ digest, files: names })]]));
  await removeOthers(dist, new Set([record, ...names, ...before]));
}

async function withEsbuild(work) {
  let esbuild;
  try {
    esbuild = await import('esbuild');
    return await work(esbuild);
  } catch (error) {
    throw explainFailure(error);
  } finally {
    // Otherwise the esbuild process would keep running, with 24 MB of memory, as long as the program.
    await esbuild?.stop();
  }
}

/**
 * Builds `vouch` with changed sources, for tests that plant faults. The files of the console are copied from `dist/`.
 * @param {string} folder receives `dist/`, and the package.json beside it; its parents must contain the installed packages
 * @param {(path: string, text: string) => string} change returns the text of a source, which is named by its path in the checkout
 * @returns {Promise<string>} path of the program
 * @throws esbuild's error, which contains the message of an error of `change`
 */
export async function buildChanged(folder, change) {
  await cp(await buildWhereChanged(), join(folder, 'dist'), { recursive: true, filter: (path) => !/[/\\]part-[^/\\]*$/.test(path) });
  await cp(join(checkout, 'package.json'), join(folder, 'package.json'));
  const { files } = await withEsbuild((esbuild) => buildProgram(esbuild, change));
  await writeFiles(join(folder, 'dist'), files);
  return join(folder, 'dist/vouch.js');
}

/** Returns the contents of all files of `vouch`, keyed by their paths in `dist/`, and esbuild's record. */
async function buildProgram(esbuild, change = (_path, text) => text) {
  const copied = new Map();
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: checkout,
    entryPoints: Object.fromEntries(Object.entries(programs).map(([name, path]) => [name, join(checkout, 'packages', path)])),
    outdir: dist,
    ...modules,
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    external: [...installed, ...installed.map((name) => `${name}/*`), ...neverInstalled],
    // pg asks whether it runs on Cloudflare. Without `navigator` (Node 20), its question loads Node's fetch, a tenth of a start's time.
    define: { navigator: JSON.stringify({ userAgent: 'Node.js' }) },
    plugins: [resolveFiles(copied, change)],
    // Bundled CommonJS packages load Node's built-in modules with require.
    banner: { js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url), programFolder = import.meta.url;" },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(dist, path), contents]));
  for (const [path, contents] of [...(await loadCopied(copied)), ...loadSolidity(checkout), ...loadDocumentation(checkout)]) files.set(path, contents);
  return { files, metafile };
}

/** Returns esbuild's errors in the sources unchanged. Any other error means that a compiler does not run on this machine. */
function explainFailure(error) {
  if (Array.isArray(error.errors)) return error;
  const said = error.message.trim().split('\n', 1)[0].replace(/\.?$/, '.');
  const way = 'Run npm ci in this checkout, on this machine and with optional packages (without --omit=optional or --omit=dev).';
  return new CompilerMissing(`The compiler ${error.compiler ?? 'esbuild'} does not run on ${process.platform}-${process.arch}: ${said} ${way}`, { cause: error });
}

async function loadRecord() {
  const text = await readFile(join(dist, record), 'utf8').catch(() => null);
  return text === null ? null : JSON.parse(text);
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  try {
    await buildWhereChanged();
    if (process.argv.includes('--clean')) await removeOthers(dist, new Set([record, ...(await loadRecord()).files]));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
