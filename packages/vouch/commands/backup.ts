import { resolve } from 'node:path';
import type { Command } from 'commander';

export function addBackup(program: Command): void {
  program
    .command('backup <folder>')
    .description('Write the database and all files to a new folder, also while a server runs.')
    .option('--json', 'print the manifest as JSON')
    .addHelpText(
      'after',
      `
The folder contains every table as JSON lines, every blob that the tables name, and a manifest, all from one moment. A backup does not
depend on the version of PostgreSQL or on the kind of the blob store, so backup and restore also move an installation from the embedded
database to an external one. A backup contains the webhook secrets: protect it like the data folder. Ctrl-C leaves no files behind.`,
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const { writeBackup } = await import('../backup/writeBackup.ts');
      const { runStoppable } = await import('../terminal/stopWithSignals.ts');
      const { blobReferences } = await import('../wiring/blobReferences.ts');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const path = resolve(folder);
      const manifest = await runStoppable((signal) => withPlatform((platform) =>
        writeBackup({
          database: platform.database,
          blobs: platform.blobs,
          clock: platform.clock,
          timers: platform.timers,
          folder: path,
          blobReferences,
          progress: (text) => process.stderr.write(`${text}\n`),
          signal,
        }),
      ), () => 'Stopped; no files were left behind.');
      process.stdout.write(options.json ? `${JSON.stringify(manifest)}\n` : `The backup is complete: ${path}\n`);
    });
}
