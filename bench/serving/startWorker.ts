import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { vouchProgram, type ServedVouch } from '../harness/serveVouch.ts';

/**
 * Starts `vouch worker` on the data folder of a server that runs no jobs itself.
 * @throws Error if the worker ends at once
 */
export async function startWorker({ folder }: ServedVouch): Promise<{ processId: number; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [vouchProgram, 'worker'], {
    detached: true, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, VOUCH_DATA: folder, VOUCH_LOG_LEVEL: 'warn' },
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('vouch worker ended before it worked'))),
  ]);
  return {
    processId: child.pid as number,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
