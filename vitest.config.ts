import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/testTimes/longestFirst.ts';
import { FailuresReporter } from './scripts/testTimes/failuresReporter.ts';
import { TimesReporter } from './scripts/testTimes/timesReporter.ts';

export default defineConfig({
  test: {
    reporters: ['default', new TimesReporter(), new FailuresReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/**/*.test.ts', 'tests/architecture/**/*.test.ts', 'tests/scale/**/*.test.ts', 'tests/reliability/**/*.test.ts', 'bench/**/*.test.ts', 'examples/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/*.integration.test.ts', ...(process.env['VOUCH_TEST_EXCLUDE']?.split(',') ?? [])],
          globalSetup: ['scripts/build/testSetup.ts'],
          pool: 'threads',
          // The fast tests first, then the others, which run three processes at once.
          sequence: { groupOrder: 0 },
          isolate: false,
          // Limits are for what hangs: a machine three times as slow must stay far below them.
          testTimeout: 120_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['packages/**/*.integration.test.ts', 'bench/**/*.integration.test.ts', 'tests/e2e/**/*.test.ts', 'tests/crash/**/*.test.ts', 'tests/fuzz/**/*.test.ts', 'tests/simulation/**/*.test.ts'],
          globalSetup: ['scripts/build/testSetup.ts', 'packages/platform/testing/testSetup.ts'],
          pool: 'forks',
          // Modules are loaded once per process, not once per file. A test that changes its process, or state of a module, restores it.
          isolate: false,
          sequence: { groupOrder: 1 },
          // Two more than CI has processors: tests of processes spend half of their time waiting for blocks, intervals and other processes. A fifth process gains nothing.
          maxWorkers: 4,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 120_000 } },
        },
      },
    ],
  },
});
