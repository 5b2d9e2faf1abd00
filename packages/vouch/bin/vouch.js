#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`vouch: needs Node 20.19 or newer, this is ${process.versions.node}. Install the current LTS from nodejs.org.`);
  process.exit(1);
}
const { compileProgram, CompilerMissing } = await import('./compile.js');
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
