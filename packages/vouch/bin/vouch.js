#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`vouch requires Node 20.19 or newer; this is Node ${process.versions.node}. Install the current LTS from nodejs.org.`);
  process.exit(1);
}
const [command, ...words] = process.argv.slice(2);
const service = (command === 'serve' || command === 'worker') && !words.includes('--help') && !words.includes('-h');
if (service) (await import('./supervise.js')).supervise(command, words);
else await import('./run.js');
