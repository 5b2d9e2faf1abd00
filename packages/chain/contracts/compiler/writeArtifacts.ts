import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateFiles } from './artifacts.ts';
import { contractsFolder } from './compile.ts';

// Compiles the contracts and rewrites ABIs and bytecode: npm run contracts. With --check, nothing is written, and the program fails if
// a generated file differs from the compiler's output.
const check = process.argv.includes('--check');
const differing = generateFiles().filter(({ path, text }) => text !== readIfThere(join(contractsFolder, path)));
for (const { path, text } of differing) {
  process.stdout.write(`${path} ${check ? 'differs from the compiled sources' : text.length}\n`);
  if (check) continue;
  mkdirSync(dirname(join(contractsFolder, path)), { recursive: true });
  writeFileSync(join(contractsFolder, path), text);
}
if (check && differing.length > 0) {
  process.stderr.write('Run npm run contracts, and commit the generated files with the sources.\n');
  process.exitCode = 1;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
