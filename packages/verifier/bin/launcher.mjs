#!/usr/bin/env node
// Neither import nor require at the top: without a package.json near, Node decides by itself which of the two this file is.
// The first thing is the name: it takes the place of the whole command line, in which a key or password may stand.
process.title = 'verifier';
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`verifier: needs Node 20.19 or newer, this is ${process.versions.node}. Install the current LTS from nodejs.org.`);
  process.exit(1);
}
import('./verifier.mjs');
