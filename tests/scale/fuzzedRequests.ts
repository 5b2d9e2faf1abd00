import type { HeavyTest } from './heavyTest.ts';
import { runTests } from './runTests.ts';

const files = ['tests/fuzz/http.test.ts', 'tests/fuzz/gateway.test.ts'];

/** Runs the tests of generated requests and changed messages with 20,000 of each; `npm test` runs 1,000 and 600. */
export const fuzzedRequests: HeavyTest = {
  name: 'fuzzedRequests',
  guarantee: 'no 5xx and no refusal without a reason in 20,000 generated requests and 20,000 changed messages',
  skip: async () => null,
  run: () => runTests(files, { VOUCH_TEST_FUZZ_RUNS: '20000' }),
};
