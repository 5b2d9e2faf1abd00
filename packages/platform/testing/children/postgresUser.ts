// A process for tests that uses the embedded server of a folder until it is killed or its standard input ends.
import { createLogger } from '../../log/logger.ts';
import { DatabaseFault } from '../../database/databaseFault.ts';
import { startPostgres } from '../../database/embeddedPostgres.ts';
import { lockFolder } from '../../database/dataFolder.ts';

const [what, folder, uid] = process.argv.slice(2) as ['server' | 'lock', string, string?];
if (uid !== undefined) {
  process.setgroups?.([]);
  process.setgid?.(Number(uid));
  process.setuid?.(Number(uid));
}
try {
  if (what === 'lock') {
    await lockFolder(folder);
    process.stdout.write('locked\n');
    process.stdin.resume();
  } else {
    const server = await startPostgres({ folder, log: createLogger('silent') });
    process.stdout.write(`${server.connectionString}\n`);
    process.stdin.resume();
    process.stdin.on('end', () => void server.stop());
  }
} catch (error) {
  process.stdout.write(`${error instanceof DatabaseFault ? 'fault' : 'crash'}: ${(error as Error).message}\n`);
}
