import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@vouch/platform/testing/freePort';

export interface MemoryServer {
  url: string;
  processId: number;
  stop(): Promise<void>;
}

/** Starts the reference server, which returns the given bodies in turn. */
export async function startMemoryServer(bodies: readonly string[]): Promise<MemoryServer> {
  const folder = await mkdtemp(join(tmpdir(), 'vouch-memory-'));
  const bodiesPath = join(folder, 'bodies.json');
  await writeFile(bodiesPath, JSON.stringify(bodies));
  const port = await freePort();
  const file = fileURLToPath(new URL('./memoryServer.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file, bodiesPath, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error('the yardstick server ended before it listened'))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    processId: child.pid as number,
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true });
    },
  };
}
