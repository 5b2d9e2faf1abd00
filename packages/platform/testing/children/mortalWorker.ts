// A worker process for tests. Its job writes one row per stage that it runs, then hangs until it is killed.
import { createLogger } from '../../log/logger.ts';
import { connectDatabase } from '../../database/connect.ts';
import { systemInterfaces } from '../../process/systemInterfaces.ts';
import { startWorker } from '../../jobs/worker.ts';

const [connection, scratch] = process.argv.slice(2) as [string, string];
const log = createLogger('silent');
const database = await connectDatabase({ connection, log, maxConnections: 4 });
await startWorker({
  database, log, scratch, system: systemInterfaces, leaseMs: 1_000, pollMs: 100,
  kinds: [{
    name: 'mortal',
    stages: [{ name: 'first', share: 0.5 }, { name: 'second', share: 0.5 }],
    concurrency: 1,
    maxAttempts: 1,
    async run(context) {
      await context.stage('first', async () => {
        await database.query(`INSERT INTO traces (text) VALUES ('first in the child')`);
        return { blob: `sha256-${'a'.repeat(64)}`, answer: 42 };
      });
      await context.stage('second', async () => {
        await database.query(`INSERT INTO traces (text) VALUES ('second in the child')`);
        process.stdout.write('in the second stage\n');
        await new Promise(() => {});
      });
      return async () => {};
    },
  }],
});
