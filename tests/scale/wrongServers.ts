import type { HeavyTest } from './heavyTest.ts';
import { runTests } from './runTests.ts';

/** Runs each check of the specification against servers that violate its statement; CI does so with one of eight checks. */
export const wrongServers: HeavyTest = {
  name: 'wrongServers',
  guarantee: 'each check of the specification fails on a server that violates the statement, and passes on Vouch',
  skip: async () => null,
  run: () => runTests(['tests/e2e/conformance/conformance.test.ts'], { VOUCH_TEST_EXHAUSTIVE: 'yes', VOUCH_TEST_WRONG_SERVERS: 'all' }),
};
