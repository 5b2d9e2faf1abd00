import type { PlantedCrash } from './plantedCrash.ts';

const backup = 'packages/vouch/backup';
const tables = 'packages/platform/database/backup';

/** Faults of backup and restore. */
export const backupPlants: readonly PlantedCrash[] = [
  { name: 'the manifest precedes the blobs', operation: 'backup', near: /after rename .*manifest|before open .*blobs/, file: `${backup}/writeBackup.ts`,
    replace: '  for (const name of dump.names) {\n',
    by: `  await writeManifest(folder, {
    format: 'vouch backup', version: 1, created_at: new Date(request.clock.now()).toISOString(), migrations: dump.migrations, tables: dump.tables,
    blobs: dump.names.map((name) => ({ name, bytes: 0 })),
  });
  for (const name of dump.names) {\n` },
  { name: 'the manifest precedes the rows of a table', operation: 'backup', near: /after rename .*manifest/, file: `${tables}/dumpTables.ts`,
    replace: 'return file.write(text);', by: `return setTimeout(() => void import('node:fs').then(({ appendFileSync }) => appendFileSync(join(folder, fileName), text)), 2_000);` },
  { name: 'the manifest has its name before its content', operation: 'backup', near: /(?:after open|before writeFile) .*manifest/, file: `${backup}/writeBackup.ts`,
    replace: 'await writeFileAtomically(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\\n`);',
    by: `const { open } = await import('node:fs/promises');
  const file = await open(join(folder, manifestName), 'w');
  await file.writeFile(JSON.stringify(manifest));
  await file.close();` },
  { name: 'rows are restored before their blobs', operation: 'restore', near: /^[12] after COMMIT of (?!create|alter|--)|^[12] before link/i, file: `${backup}/readBackup.ts`,
    replace: '  for (const { name } of manifest.blobs) {\n', by: `  await restoreTables(database, join(folder, 'tables'), manifest.tables);\n  manifest.tables.splice(0);\n  for (const { name } of manifest.blobs) {\n` },
  { name: 'each table is restored in a transaction of its own', operation: 'restore', near: /^[1-3] after COMMIT of .*OVERRIDING SYSTEM VALUE/, file: `${tables}/restoreTables.ts`,
    replace: 'if (table !== undefined) await restoreTable(transaction, shape, table, folder, signal);', by: 'if (table !== undefined) await database.transaction((own) => restoreTable(own, shape, table, folder, signal));' },
];
