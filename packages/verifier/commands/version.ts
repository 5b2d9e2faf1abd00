import { exitCodes } from '@vouch/platform/process/exitCodes';
import packageFile from '../package.json' with { type: 'json' };
import type { Command } from './command.ts';

export const version: Command = {
  name: 'version',
  summary: 'print the version',
  flags: ['-json'],
  async run({ given, output }) {
    const facts = { version: packageFile.version, node: process.versions.node };
    output.write(given.has('-json') ? `${JSON.stringify(facts)}\n` : `verifier ${facts.version} (Node ${facts.node})\n`);
    return exitCodes.done;
  },
};
