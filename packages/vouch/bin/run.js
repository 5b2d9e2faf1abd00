// Runs the program in this process.
import { compileProgram, CompilerMissing } from './compile.js';

const compiled = await compileProgram().catch((error) => {
  if (!(error instanceof CompilerMissing)) throw error;
  console.error(`vouch: ${error.message}`);
  process.exit(1);
});
if (compiled === null) {
  const { register } = await import('tsx/esm/api');
  register();
}
// A stack names lines of the sources.
process.setSourceMapsEnabled(true);
await import(compiled ?? '../main.ts');
