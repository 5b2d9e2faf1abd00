import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { exitCodes } from '@vouch/platform/process/exitCodes';
import type { Command } from 'commander';
import { CommandFault } from '../terminal/commandFault.ts';

export function addSupportBundle(program: Command): void {
  program
    .command('support-bundle [file]')
    .description('Write what a person who helps you needs to know to a file, without secrets.')
    .addHelpText(
      'after',
      `
The JSON file has the versions, the settings that differ from their defaults, the findings of vouch doctor, recorded crashes, and from the
database the sizes of tables, the number of jobs, and the error codes of the last failed jobs. It has no secrets, no data of your users, and
no query of a URL. Read the file before you send it. The default is vouch-support.json. The command never replaces a file.`,
    )
    .action(async (file = 'vouch-support.json') => {
      const path = resolve(file);
      const { collectSupport } = await import('./support/collectSupport.ts');
      const text = `${JSON.stringify(await collectSupport(), null, 2)}\n`;
      await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
        throw new CommandFault(exitCodes.input, error.code === 'EEXIST' ? `${path} exists. Name another file, or remove this one.` : `${path} cannot be written (${error.code}). Name a file in a folder that this user can write to.`);
      });
      process.stdout.write(`${path}\n`);
    });
}
