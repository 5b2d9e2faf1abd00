import { resolve } from 'node:path';
import type { Command } from 'commander';

export function addRestore(program: Command): void {
  program
    .command('restore <folder>')
    .description('Fill an empty installation from a backup.')
    .option('--json', 'print what was restored as JSON')
    .addHelpText(
      'after',
      `
The database must be empty: set a new data folder (VOUCH_DATA) or an empty database (DATABASE_URL). After the restore, the same API
keys work and the same queries return the same answers. If a server has used the blob store since the backup, Vouch deletes nothing from
the store until vouch blobs claim makes the restored database its owner.`,
    )
    .action(async (folder: string, options: { json?: boolean }) => {
      const { readManifest } = await import('../backup/manifest.ts');
      const { readBackup } = await import('../backup/readBackup.ts');
      const { openStore } = await import('@vouch/platform/blobs/storeOwner');
      const { explainOwner, storeOf } = await import('../wiring/storeOwnership.ts');
      const { runStoppable } = await import('../terminal/stopWithSignals.ts');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const path = resolve(folder);
      const manifest = await readManifest(path);
      const isNew = await runStoppable((signal) => withPlatform(async (platform) => {
        const applied = await platform.database.query<{ name: string }>(`SELECT product || '/' || name AS name FROM migrations`);
        const restored = await readBackup({
          database: platform.database,
          blobs: platform.blobs,
          folder: path,
          manifest,
          applied: applied.rows.map(({ name }) => name),
          progress: (text) => process.stderr.write(`${text}\n`),
          signal,
        });
        const fault = explainOwner(platform.blobs.place, await openStore(storeOf(platform)));
        if (fault !== null) process.stderr.write(`${fault.detail}. ${fault.remedy}\n`);
        return restored;
      }), () => 'Stopped. Run the command again to continue the restore: no row is restored twice.');
      const result = { folder: path, created_at: manifest.created_at, tables: manifest.tables.length, blobs: manifest.blobs.length, already_restored: !isNew };
      process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${isNew ? 'Restored the backup' : 'An earlier restore had restored the rows of the backup'} of ${manifest.created_at}.\n`);
    });
}
