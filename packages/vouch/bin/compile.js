import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// JavaScript, since it runs before anything can run TypeScript.

const checkout = fileURLToPath(new URL('../../../', import.meta.url));

/** Packages of many small modules, which cost a millisecond each to load; others stay outside, with their own files and threads. */
const bundled = /^(@vouch|typebox|viem|@fastify\/type-provider-typebox)(\/|$)/;
/** What those ask for only where it is used, in CommonJS. */
const outside = ['isows', 'ws'];
/** Compiled programs that are kept: a server that runs from an older one loads parts of it later. */
const keptPrograms = 16;

/** Nothing can be compiled on this machine; the message is for whoever started the program. */
export class CompilerMissing extends Error {}

/**
 * Compiles `packages/vouch/main.ts` and every program that it starts (`*.child.ts`) into a folder below `node_modules/.cache`,
 * named by a digest of where the checkout lies, of all sources and of what is installed, so that it can be neither stale nor that
 * of another checkout nor seen half-written.
 * @param {string} [root] the checkout
 * @returns {Promise<string | null>} address of the compiled program; null where the folder cannot be written
 * @throws what esbuild says of sources that cannot be compiled; `CompilerMissing` where it does not run
 */
export async function compileProgram(root = checkout) {
  const packages = join(root, 'packages');
  const cache = join(root, 'node_modules', '.cache', 'vouch');
  const sources = listSources(packages);
  const folder = join(cache, digestOf(root, sources));
  const main = join(folder, 'vouch', 'main.mjs');
  if (!existsSync(main)) {
    if (!(await fill(folder, packages, sources.filter(isProgram)))) return null;
    await removeOldest(cache, folder);
  }
  return pathToFileURL(main).href;
}

/** Compiles programs into a folder that is not there yet; says whether it is there then. */
async function fill(folder, packages, programs) {
  const beside = `${folder}.${randomUUID()}.tmp`;
  // Before the second that compiling takes, which would be lost at every start where the folder cannot be written.
  const made = await mkdir(beside, { recursive: true }).then(() => true, () => false);
  if (!made) return false;
  try {
    return await write(await compile(packages, programs, folder), beside, folder);
  } finally {
    await rm(beside, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Paths below `packages` of all that compiling may read, in order. */
function listSources(packages) {
  return readdirSync(packages, { recursive: true })
    .filter((path) => /\.(ts|js|json)$/.test(path) && !path.endsWith('.test.ts'))
    .toSorted();
}

function isProgram(path) {
  return path === join('vouch', 'main.ts') || (path.endsWith('.child.ts') && !path.includes('/fixtures/'));
}

/**
 * Of contents: sizes and times stay as they are in checkouts that are unpacked with fixed times. Reading and hashing 970 files of
 * 4.5 MB takes 13 ms, asking for their times 5 ms. Of the location too, since compiled programs name files of the sources.
 */
function digestOf(root, sources) {
  const hash = createHash('sha256').update(root);
  for (const path of [...sources.map((source) => join('packages', source)), join('node_modules', '.package-lock.json')]) {
    const text = readIfThere(join(root, path));
    hash.update(`\n${path} ${text?.length}\n`).update(text ?? '');
  }
  return hash.digest('hex').slice(0, 32);
}

function readIfThere(path) {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function compile(packages, programs, folder) {
  let esbuild;
  try {
    esbuild = await import('esbuild');
    const { outputFiles } = await esbuild.build({
      entryPoints: programs.map((path) => join(packages, path)),
      outbase: packages,
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      chunkNames: 'parts/[name]-[hash]',
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      sourcemap: true,
      sourcesContent: false,
      define: { COMPILED_PROGRAM: JSON.stringify({ packages, folder }) },
      plugins: [{ name: 'vouch', setup: (builder) => resolveAsSources(builder, packages) }],
      logLevel: 'silent',
    });
    return outputFiles;
  } catch (error) {
    throw explainFailure(error);
  } finally {
    // Its process would stay, with 24 MB, for as long as the program runs.
    await esbuild?.stop();
  }
}

/** What esbuild says of sources is told as it is; all else means that it does not run on this machine. */
function explainFailure(error) {
  if (Array.isArray(error.errors)) return error;
  const said = error.message.trim().split('\n', 1)[0].replace(/\.?$/, '.');
  const way = 'Run npm ci in this checkout, on this machine and with optional packages (without --omit=optional).';
  return new CompilerMissing(`The compiler esbuild does not run on ${process.platform}-${process.arch}: ${said} ${way}`, { cause: error });
}

/**
 * Leaves all but the `bundled` packages outside, and has `import.meta.url` name the source, beside which SQL, WebAssembly and
 * migrations lie.
 */
function resolveAsSources(builder, packages) {
  // Those of this checkout, also where its node_modules is a link to another one's.
  builder.onResolve({ filter: /^@vouch\/[^/]+\/./ }, ({ path }) => ({ path: join(packages, `${path.slice('@vouch/'.length)}.ts`) }));
  builder.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
    const within = kind === 'entry-point' || bundled.test(path) || (!importer.startsWith(packages) && !outside.includes(path));
    return within ? undefined : { path, external: true };
  });
  builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    if (!path.startsWith(packages)) return undefined;
    const text = await readFile(path, 'utf8');
    return { contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)), loader: 'ts' };
  });
}

/** Writes them beside and moves them as a whole; what another process moved there first is the same. */
async function write(files, beside, folder) {
  try {
    for (const { path, contents } of files) {
      const target = join(beside, relative(folder, path));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, contents);
    }
    await rename(beside, folder);
    return true;
  } catch {
    return existsSync(folder);
  }
}

async function removeOldest(cache, folder) {
  const names = (await readdir(cache)).filter((name) => name !== basename(folder));
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(cache, name)).catch(() => null))?.mtimeMs ?? 0 })));
  const old = aged.toSorted((one, other) => other.at - one.at).slice(keptPrograms - 1);
  await Promise.all(old.map(({ name }) => rm(join(cache, name), { recursive: true, force: true })));
}
