import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Returns the arguments with which Node runs one of Vouch's own files as a child process. In `dist/`, the file itself is the compiled program.
 * Sources (tests, benchmarks) run the compiled program if VOUCH_TEST_PROGRAMS names a folder with a fresh build, otherwise the source, through tsx.
 * @param file e.g. `./train.child.ts` relative to `import.meta.url`
 */
export function programArguments(file: URL): string[] {
  const compiled = findCompiled(file);
  return compiled === null ? ['--import', import.meta.resolve('tsx'), fileURLToPath(file)] : [fileURLToPath(compiled)];
}

/** Returns the URL with which a thread runs one of Vouch's own files; see `programArguments`. */
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
