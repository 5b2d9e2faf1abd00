#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`vouch: needs Node 20.19 or newer, this is ${process.versions.node}. Install the current LTS from nodejs.org.`);
  process.exit(1);
}
const { compileProgram } = await import('./compile.js');
const compiled = await compileProgram();
if (compiled === null) {
  const { register } = await import('tsx/esm/api');
  register();
}
// A stack names lines of the sources.
process.setSourceMapsEnabled(true);
await import(compiled ?? '../main.ts');
