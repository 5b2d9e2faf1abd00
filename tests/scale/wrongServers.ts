import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Runs each check of the specification against servers that violate its statement; CI does so with one of four checks. */
export const wrongServers: HeavyTest = {
  name: 'wrongServers',
  guarantee: 'each check of the specification fails on a server that violates the statement, and passes on Vouch',
  skip: async () => null,
  async run() {
    const [status] = await once(spawn('npx', ['vitest', 'run', '--project', 'integration', 'tests/e2e/conformance/conformance.test.ts'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: 'inherit', env: { ...process.env, VOUCH_TEST_EXHAUSTIVE: 'yes', VOUCH_TEST_WRONG_SERVERS: 'all' },
    }), 'exit') as [number | null];
    expectEqual('exit code of vitest', status, 0);
  },
};
