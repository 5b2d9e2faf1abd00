#!/usr/bin/env node
// No static import or require: without a package.json nearby, Node decides by the file's content whether the file is an ES module.
// Sets the title first: it replaces the command line in process lists, which may contain a key or password.
process.title = 'verifier';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`verifier: needs Node 20.19 or newer, this is ${process.versions.node}. Install the current LTS from nodejs.org.`);
  process.exit(1);
}
import('./verifier.mjs');
