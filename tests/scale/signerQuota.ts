import type { HeavyTest } from './heavyTest.ts';
import { runTests } from './runTests.ts';

const file = 'packages/gateway/intake/limits.integration.test.ts';

/** Runs the gateway's quota test with 10,000 messages instead of the 1,000 of `npm test`. */
export const signerQuota: HeavyTest = {
  name: 'signer-quota',
  guarantee: 'of 10,000 messages of one signer the gateway accepts as many as the quota allows, and stores nothing of the others',
  skip: async () => null,
  run: () => runTests([file, '-t', 'thousands of messages'], { VOUCH_TEST_QUOTA_ROUNDS: '50' }),
};
