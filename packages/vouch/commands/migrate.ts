import type { Command } from 'commander';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Update the database tables. vouch serve and vouch worker do this at their start.')
    .option('--json', 'print the applied files as JSON')
    .action(async (options: { json?: boolean }) => {
      const { migrate } = await import('@vouch/platform/database/migrate');
      const { migrationSets } = await import('../wiring/openPlatform.ts');
      const { withPlatform } = await import('../wiring/withPlatform.ts');
      const applied = await withPlatform((platform) => migrate(platform.database, migrationSets), 'as-is');
      if (options.json) process.stdout.write(`${JSON.stringify({ applied })}\n`);
      else process.stdout.write(applied.length === 0 ? 'The tables are up to date.\n' : `Applied ${applied.join(', ')}.\n`);
    });
}
