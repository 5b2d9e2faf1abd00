import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../log/logger.ts';
import { startPostgres } from '../database/embeddedPostgres.ts';

/**
 * Global setup of the integration tests: one PostgreSQL server in a temporary folder for the whole run, unless VOUCH_TEST_DATABASE_URL names one.
 * Server and folder are removed even if the run is killed.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['VOUCH_TEST_DATABASE_URL'] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'vouch-test-'));
  // If the tests run as root, PostgreSQL runs as another user, who must be able to enter the folder.
  await chmod(folder, 0o755);
  const server = await startPostgres({ folder, log: createLogger('warn'), temporary: true });
  process.env['VOUCH_TEST_DATABASE_URL'] = server.connectionString;
  return async () => {
    delete process.env['VOUCH_TEST_DATABASE_URL'];
    await server.stop();
  };
}
