import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expectEqual } from './heavyTest.ts';

/**
 * Runs integration tests of the repository with further environment variables.
 * @param words test files, and further arguments of Vitest
 * @throws Error if a test fails
 */
export async function runTests(words: readonly string[], environment: Readonly<Record<string, string>>): Promise<void> {
  // Not `spawnSync`, which would keep an interruption from being noticed before the result is recorded.
  const [status] = await once(spawn('npx', ['vitest', 'run', '--project', 'integration', ...words], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: 'inherit', env: { ...process.env, ...environment },
  }), 'exit') as [number | null];
  expectEqual('exit code of vitest', status, 0);
}
