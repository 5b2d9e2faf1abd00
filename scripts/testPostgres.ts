// Runs the integration tests on a PostgreSQL that was not installed by npm: the server of DATABASE_URL, or a server started from
// the system's installation.
import { spawn } from 'node:child_process';
import { mkdtemp, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseFault } from '../packages/platform/database/databaseFault.ts';
import { startPostgres, type EmbeddedPostgres } from '../packages/platform/database/embeddedPostgres.ts';
import { findPostgres } from '../packages/platform/database/postgresBinaries.ts';
import { createLogger } from '../packages/platform/log/logger.ts';

async function startSystemServer(): Promise<EmbeddedPostgres | null> {
  try {
    findPostgres(null, 'system');
  } catch (error) {
    if (error instanceof DatabaseFault) return null;
    throw error;
  }
  const folder = await mkdtemp(join(tmpdir(), 'vouch-test-system-'));
  await chmod(folder, 0o755);
  return startPostgres({ folder, log: createLogger('warn'), source: 'system', temporary: true });
}

function runTests(address: string): Promise<number> {
  return new Promise((resolve) => {
    const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
    const { DATABASE_URL: _, ...environment } = process.env;
    spawn(process.execPath, [vitest, 'run', '--project', 'integration', ...process.argv.slice(2)], {
      stdio: 'inherit',
      cwd: new URL('..', import.meta.url),
      env: { ...environment, VOUCH_TEST_DATABASE_URL: address },
    }).on('exit', (code) => resolve(code ?? 1));
  });
}

const given = process.env['DATABASE_URL'];
const server = given === undefined ? await startSystemServer() : null;
const address = given ?? server?.connectionString;
if (address === undefined) {
  console.log('skipped: there is no other PostgreSQL. Set DATABASE_URL to one whose user may create databases, or install ' +
    'one of version 15 or newer under /usr/lib/postgresql.');
} else {
  console.log(`PostgreSQL ${server?.version ?? 'of DATABASE_URL'}`);
  try {
    process.exitCode = await runTests(address);
  } finally {
    await server?.stop();
  }
}
