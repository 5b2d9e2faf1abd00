// A worker process for tests. The subject of a job selects how the job throws an uncaught error or crashes the process. Jobs with the subject
// `innocent` complete when all other jobs have ended.
import { spawn } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { connectDatabase } from '../../database/connect.ts';
import { createLogger } from '../../log/logger.ts';
import { containUncaught } from '../../process/containUncaught.ts';
import { systemInterfaces } from '../../process/systemInterfaces.ts';
import { startWorker } from '../../jobs/worker.ts';

const [connection, scratch, crashed] = process.argv.slice(2) as [string, string, string | undefined];
const log = createLogger('silent');
const database = await connectDatabase({ connection, log, maxConnections: 4 });

const throwing: Record<string, () => void> = {
  timer: () => void setTimeout(() => { throw new Error('thrown by a timer'); }, 5),
  socket: () => {
    const server = createServer((socket) => socket.end('some bytes')).listen(0, '127.0.0.1', () => {
      connect((server.address() as AddressInfo).port, '127.0.0.1').on('data', () => { throw new Error('thrown by a socket'); });
    });
  },
  'socket without a listener': () => void connect(1, '127.0.0.1'),
  'child process': () => void spawn('true').on('exit', () => { throw new Error('thrown by a child'); }),
  rejection: () => void Promise.reject(new Error('a promise that nobody awaits')),
};

const worker = await startWorker({
  database, log, scratch, system: systemInterfaces, leaseMs: 10_000, pollMs: 50, retryMs: 10,
  ...(crashed === undefined ? {} : { crashedProcess: Number(crashed) }),
  kinds: [{
    name: 'test', stages: [{ name: 'only', share: 1 }], concurrency: 10, maxAttempts: 3,
    async run({ job }) {
      if (job.subject === 'beside') return job.attempt > 1 ? async () => {} : new Promise(() => {});
      if (job.subject === 'poison') {
        for (;;) {
          const { rows } = await database.query(`SELECT 1 FROM jobs WHERE subject = 'beside' AND attempt = 0`);
          if (rows.length === 0) process.abort();
          await systemInterfaces.timers.sleep(20);
        }
      }
      if (job.subject === 'nobody owns it') {
        process.send?.('began');
        process.once('message', () => { throw new Error('thrown by the process'); });
        return new Promise(() => {});
      }
      if (job.subject !== 'innocent') {
        throwing[job.subject]?.();
        return new Promise(() => {});
      }
      // Runs until all other jobs have ended.
      for (;;) {
        const { rows } = await database.query(`SELECT 1 FROM jobs WHERE subject <> 'innocent' AND completed_at IS NULL`);
        if (rows.length === 0) return async () => {};
        await systemInterfaces.timers.sleep(20);
      }
    },
  }],
});
containUncaught(() => void worker.stop(5_000).then(() => process.exit(7)));
process.send?.('works');
