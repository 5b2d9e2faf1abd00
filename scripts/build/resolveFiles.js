import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { checkout, programs } from './programs.js';

const packages = join(checkout, 'packages');
/** The only form in which sources refer to files relative to themselves. */
const reference = /new URL\('(\.[^']*)', import\.meta\.url\)/g;
/** Matches `createRequire`, which loads installed packages. */
const requiring = /createRequire\(import\.meta\.url\)/g;
const programOf = new Map(Object.entries(programs).map(([name, path]) => [join(packages, path), name]));

/**
 * Creates an esbuild plugin that redirects file references from the sources to the copies in `dist/`, where all programs are in
 * one folder. A child program or thread becomes `./<name>.js`; any other file is copied to the path that it has below
 * `packages/`; a file outside of `packages/` (`package.json`) stays next to `dist/`.
 * @param {Map<string, string>} copied the plugin adds each file or folder to copy: its path in `dist/`, and its source
 * @param {(path: string, text: string) => string} change returns the text of a source, which is named by its path in the checkout
 */
export function resolveFiles(copied, change) {
  return {
    name: 'files beside the sources',
    setup(builder) {
      // Resolves to packages of this checkout, even if its node_modules is a link to the node_modules of a different checkout.
      builder.onResolve({ filter: /^@vouch\/[^/]+\/./ }, ({ path }) => ({ path: join(packages, `${path.slice('@vouch/'.length)}.ts`) }));
      // An import statement of node:http reads its export WebSocket, which loads Node's fetch, a tenth of a command's start; require does not.
      builder.onResolve({ filter: /^(node:)?http$/ }, ({ kind }) => (kind === 'import-statement' ? { path: 'node:http', namespace: 'required' } : undefined));
      builder.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({ contents: `module.exports = require('${path}');`, loader: 'js' }));
      // Filters are narrow, because esbuild sends each matching file to Node and back.
      builder.onLoad({ filter: /[/\\]packages[/\\].*\.(ts|js|mjs)$/ }, async ({ path }) => {
        if (!path.startsWith(packages)) return undefined;
        return { contents: changeReferences(change(relative(checkout, path), await readFile(path, 'utf8')), path, copied), loader: extname(path) === '.ts' ? 'ts' : 'js' };
      });
      builder.onLoad({ filter: /@fastify[/\\]swagger-ui[/\\]lib[/\\]routes\.js$/ }, async ({ path }) => ({ contents: await changePages(path, copied), loader: 'js' }));
    },
  };
}

function changeReferences(text, path, copied) {
  const changed = text.replaceAll(reference, (_all, target) => `new URL('./${inDist(join(dirname(path), target), copied)}', import.meta.url)`);
  const rest = text.replaceAll(reference, '').replaceAll(requiring, '').split('\n').findIndex((line) => /^(?!\s*(\/?\*|\/\/)).*import\.meta\.url/.test(line));
  if (rest < 0) return changed;
  throw new Error(`${relative(checkout, path)}:${rest + 1}: write new URL('./file', import.meta.url) with the path of the file as a literal, which the build can follow to dist/.`);
}

function inDist(target, copied) {
  const program = programOf.get(target);
  if (program !== undefined) return `${program}.js`;
  // The documentation becomes a part of dist/, because the installed package has no other folder.
  if (relative(checkout, target) === 'docs') return 'docs/';
  if (!target.startsWith(packages)) return join('..', relative(checkout, target));
  if (/\.(ts|m?js)$/.test(target)) throw new Error(`${relative(checkout, target)} is started as a program: name it in scripts/build/programs.js.`);
  const path = relative(packages, target);
  // Made by the build, not copied.
  if (path.startsWith('console/built/')) return path;
  copied.set(path, target);
  return path === '' || path.endsWith('/') || !target.endsWith('/') ? path : `${path}/`;
}

/** The Swagger UI package serves its pages from files in its own folder. */
async function changePages(path, copied) {
  const folder = join(dirname(path), '..', 'static');
  copied.set('swagger-ui', folder);
  const text = await readFile(path, 'utf8');
  const changed = text.replace("path.join(__dirname, '..', 'static')", "require('node:url').fileURLToPath(new URL('./swagger-ui', programFolder))");
  if (changed === text) throw new Error(`${path} finds its pages in another way than it did; change scripts/build/${basename(import.meta.url)}.`);
  return changed;
}
