import { resolve } from 'node:path';
import type { Command } from 'commander';

export function addBackup(program: Command): void {
  program
    .command('backup <folder>')
    .description('Write everything into a new folder, also while a server runs.')
    .option('--json', 'print the manifest as JSON')
    .addHelpText(
      'after',
      `
The folder holds every table as JSON lines, every blob that is still wanted, and a manifest, all of one moment. It does not
depend on the version of PostgreSQL or on where blobs are stored, so it is also the way from the embedded database to an
external one (vouch restore). It contains the webhook secrets: keep it as safe as the data folder.`,
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const { writeBackup } = await import('../backup/writeBackup.ts');
      const { blobReferences } = await import('../wiring/blobReferences.ts');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const path = resolve(folder);
      const manifest = await withPlatform((platform) =>
        writeBackup({
          database: platform.database,
          blobs: platform.blobs,
          clock: platform.clock,
          timers: platform.timers,
          folder: path,
          blobReferences,
          progress: (text) => process.stderr.write(`${text}\n`),
        }),
      );
      process.stdout.write(options.json ? `${JSON.stringify(manifest)}\n` : `The backup is complete: ${path}\n`);
    });
}
