import { readFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import { checkout, programs } from './programs.js';

const packages = join(checkout, 'packages');
/** The one way in which sources name a file beside them. */
const reference = /new URL\('(\.[^']*)', import\.meta\.url\)/g;
/** Finds installed packages from wherever the program lies. */
const requiring = /createRequire\(import\.meta\.url\)/g;
const programOf = new Map(Object.entries(programs).map(([name, path]) => [join(packages, path), name]));

/**
 * Plugin of esbuild: changes references to files of the sources into references to the same files in `dist/`, where all programs
 * lie side by side. A child program or thread becomes `./<name>.js`; another file is copied to the path that it has below
 * `packages/`; a file outside of `packages/` (`package.json`) stays where it is, beside `dist/`.
 * @param {Map<string, string>} copied gets each file or folder to copy: its path in `dist/`, and the source
 */
export function resolveFiles(copied) {
  return {
    name: 'files beside the sources',
    setup(builder) {
      // Packages of this checkout, also where its node_modules is a link to the one of another checkout.
      builder.onResolve({ filter: /^@vouch\/[^/]+\/./ }, ({ path }) => ({ path: join(packages, `${path.slice('@vouch/'.length)}.ts`) }));
      // Narrow filters: each file that passes one is sent from esbuild to Node and back.
      builder.onLoad({ filter: /[/\\]packages[/\\].*\.(ts|js|mjs)$/ }, async ({ path }) => {
        if (!path.startsWith(packages)) return undefined;
        return { contents: changeReferences(await readFile(path, 'utf8'), path, copied), loader: extname(path) === '.ts' ? 'ts' : 'js' };
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
  if (!target.startsWith(packages)) return join('..', relative(checkout, target));
  if (/\.(ts|m?js)$/.test(target)) throw new Error(`${relative(checkout, target)} is started as a program: name it in scripts/build/programs.js.`);
  const path = relative(packages, target);
  copied.set(path, target);
  return path === '' || path.endsWith('/') || !target.endsWith('/') ? path : `${path}/`;
}

/** The pages of Swagger UI are files of its package. */
async function changePages(path, copied) {
  const folder = join(dirname(path), '..', 'static');
  copied.set('swagger-ui', folder);
  const text = await readFile(path, 'utf8');
  const changed = text.replace("path.join(__dirname, '..', 'static')", "require('node:url').fileURLToPath(new URL('./swagger-ui', programFolder))");
  if (changed === text) throw new Error(`${path} finds its pages in another way than it did; change scripts/build/${basename(import.meta.url)}.`);
  return changed;
}
