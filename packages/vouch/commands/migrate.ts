import { migrate } from '@vouch/platform/database/migrate';
import type { Command } from 'commander';
import { migrationSets } from '../wiring/openPlatform.ts';
import { withPlatform } from '../wiring/withPlatform.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database tables up to date. serve and worker do it by themselves.')
    .option('--json', 'print the applied files as JSON')
    .action(async (options: { json?: boolean }) => {
      const applied = await withPlatform((platform) => migrate(platform.database, migrationSets), 'as-is');
      if (options.json) process.stdout.write(`${JSON.stringify({ applied })}\n`);
      else process.stdout.write(applied.length === 0 ? 'The tables were up to date.\n' : `Applied ${applied.join(', ')}.\n`);
    });
}
