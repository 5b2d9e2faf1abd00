import { describe, expect, it } from 'vitest';
import { describeTimes } from '../../scripts/testTimes/describeTimes.ts';
import { budgetOf } from '../../vitest.budgets.ts';
import { loadSources } from './sourceText.ts';

describe('budgets of test time', () => {
  it('know every test file, by its longest room', () => {
    const tests = ['packages', 'tests', 'bench', 'examples'].flatMap((folder) => loadSources(folder, (path) => path.endsWith('.test.ts')));
    expect(tests.length).toBeGreaterThan(100);
    expect(tests.map(({ path }) => path).filter((path) => budgetOf(path) === undefined)).toEqual([]);
    expect(budgetOf('tests/e2e/conformance/conformance.test.ts')?.room).toBe('tests/e2e/conformance/');
    expect(budgetOf('tests/e2e/gateway.test.ts')?.room).toBe('tests/e2e/');
  });

  it('name the rooms and files that exceed them, and no short file', () => {
    const report = describeTimes([
      { path: 'packages/gateway/slow.integration.test.ts', seconds: 60 },
      { path: 'packages/gateway/fast.test.ts', seconds: 4 },
      { path: 'tests/crash/other.test.ts', seconds: 3.5 },
      { path: 'packages/video/other.test.ts', seconds: 32.5 },
    ]);
    expect(report).toMatch(/^packages\/gateway\/ +2 +64 +64\.0 % +15 % {2}exceeds its budget$/m);
    expect(report).toMatch(/^tests\/crash\/ +1 +4 +3\.5 % +20 %$/m);
    expect(report).toMatch(/^packages\/gateway\/slow\.integration\.test\.ts: 60 s, 60\.0 % of the run; budget 2\.5 %$/m);
    expect(report).not.toMatch(/fast\.test|crash\/other/);
    expect(describeTimes([])).toContain('No test file exceeds its budget');
  });
});
