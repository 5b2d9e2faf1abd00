import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const files = ['tests/fuzz/http.test.ts', 'tests/fuzz/gateway.test.ts'];

/** Runs the tests of generated requests and changed messages with 20,000 of each; `npm test` runs 1,000 and 600. */
export const fuzzedRequests: HeavyTest = {
  name: 'fuzzedRequests',
  guarantee: 'no 5xx and no refusal without a reason in 20,000 generated requests and 20,000 changed messages',
  skip: async () => null,
  async run() {
    // Not `spawnSync`, which would keep an interruption from being noticed before the result is recorded.
    const [status] = await once(spawn('npx', ['vitest', 'run', '--project', 'integration', ...files], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: 'inherit', env: { ...process.env, VOUCH_TEST_FUZZ_RUNS: '20000' },
    }), 'exit') as [number | null];
    expectEqual('exit code of vitest', status, 0);
  },
};
