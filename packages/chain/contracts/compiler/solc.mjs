#!/usr/bin/env node
// Wraps npm's solc in the command line that forge expects: `--version`, and `--standard-json` from standard input to standard output.
// forge embeds all sources in the request, so this program reads no files and downloads nothing.
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

const solc = createRequire(import.meta.url)('solc');
const options = process.argv.slice(2);

if (options.includes('--version')) {
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`);
} else if (options.includes('--standard-json')) {
  process.stdout.write(solc.compile(await text(process.stdin)));
} else {
  process.stderr.write(`solc.mjs knows --version and --standard-json, not: ${options.join(' ')}\n`);
  process.exitCode = 1;
}
