import { spawn } from 'node:child_process';
import { expectEqual, type HeavyTest } from './heavyTest.ts';

const file = 'packages/gateway/intake/limits.integration.test.ts';

/** Runs the gateway's quota test with 10,000 messages instead of the 1,000 of `npm test`. */
export const signerQuota: HeavyTest = {
  name: 'signer-quota',
  guarantee: 'of 10,000 messages of one signer the gateway accepts as many as the quota allows, and stores nothing of the others',
  skip: async () => null,
  async run() {
    const arguments_ = ['vitest', 'run', '--project', 'integration', file, '-t', 'thousands of messages'];
    const child = spawn('npx', arguments_, { stdio: 'inherit', env: { ...process.env, VOUCH_TEST_QUOTA_ROUNDS: '50' } });
    const code = await new Promise<number | null>((ended, failed) => child.once('error', failed).once('exit', ended));
    expectEqual('exit code', code, 0);
  },
};
