import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { generateFiles } from './artifacts.ts';
import { contractsFolder } from './compile.ts';

/** Writes ABIs and bytecode anew: `node --import tsx packages/chain/contracts/compiler/writeArtifacts.ts`. */
for (const { path, text } of generateFiles()) {
  const file = join(contractsFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`${path} ${text.length}\n`);
}
