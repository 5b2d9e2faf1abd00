import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Arguments of Node that start one of our own files as a child process. In `dist/` the build has put the compiled program in the
 * place of the source. Sources (tests, benches) start the program of `dist/` where VOUCH_TEST_PROGRAMS says that it was just
 * built, otherwise the source, through tsx.
 * @param file e.g. `./train.child.ts` beside `import.meta.url`
 */
export function programArguments(file: URL): string[] {
  const compiled = findCompiled(file);
  return compiled === null ? ['--import', import.meta.resolve('tsx'), fileURLToPath(file)] : [fileURLToPath(compiled)];
}

/** What a thread is started with for one of our own files; see `programArguments`. */
export function threadProgram(file: URL): URL {
  return findCompiled(file) ?? new URL(`data:text/javascript,${encodeURIComponent(throughTsx(file))}`);
}

function findCompiled(file: URL): URL | null {
  if (!file.pathname.endsWith('.ts')) return file;
  const path = join(process.env['VOUCH_TEST_PROGRAMS'] ?? '', `${basename(file.pathname, '.ts')}.js`);
  return process.env['VOUCH_TEST_PROGRAMS'] !== undefined && existsSync(path) ? pathToFileURL(path) : null;
}

/** On Node 20, `--import tsx` does not load TypeScript in a thread. */
function throughTsx(file: URL): string {
  return `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register(); await import(${JSON.stringify(file.href)});`;
}
