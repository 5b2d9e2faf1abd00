import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

/** Test files that run a sample of their cases in `npm test`, and all cases if VOUCH_TEST_EXHAUSTIVE is set. */
const files = ['packages/vouch/wiring/collectUnnamedBlobs.integration.test.ts', 'packages/platform/blobs/collectKilled.integration.test.ts', 'tests/fuzz/http.test.ts', 'tests/fuzz/gateway.test.ts'];

/** Runs all cases of the tests that `npm test` samples. */
export const exhaustiveGrids: HeavyTest = {
  name: 'exhaustiveGrids',
  guarantee: `every case passes of the tests that npm test samples: ${files.join(', ')}`,
  skip: async () => null,
  async run() {
    const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'integration', ...files], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)), stdio: 'inherit', env: { ...process.env, VOUCH_TEST_EXHAUSTIVE: 'yes' },
    });
    expectEqual('exit code of vitest', status, 0);
  },
};
