import { parseCommandLine, stopCommand } from '../../bench/harness/parseCommandLine.ts';
import { isInterrupted, runInterruptibly } from '../crash/harness/interruption.ts';
import { findTestedCommit, heavyCommand, recordResult } from '../reliability/results.ts';
import type { HeavyTest } from './heavyTest.ts';
import { heavyTests } from './heavyTests.ts';

// Runs tests that take minutes or gigabytes.

const usage = `usage: npm run test:heavy [-- <name> … [--record]]
Without a name, all tests run, one after the other. --record writes the results to bench/results/reliability.json, from which
npm run docs makes docs/reliability.md. Variables of the environment change how much a test does. The tests:
${heavyTests.map(({ name, guarantee, variables = [] }) => `  ${name}: ${guarantee}${variables.map((variable) => ` (${variable})`).join('')}`).join('\n')}`;
const { positionals: names, values: { record } } = parseCommandLine({ allowPositionals: true, options: { record: { type: 'boolean', default: false } } }, usage);
const unknown = names.filter((name) => !heavyTests.some((test) => test.name === name));
if (unknown.length > 0) stopCommand(`There is no heavy test ${unknown.join(', ')}. There are: ${heavyTests.map((test) => test.name).join(', ')}.`, usage);

const commit = record ? await findTestedCommit() : null;

async function runTest(test: HeavyTest): Promise<'passed' | 'failed' | 'skipped'> {
  console.log(`\n${test.name}: ${test.guarantee}`);
  const reason = await test.skip();
  if (reason !== null) {
    console.log(`  skipped: ${reason}`);
    return 'skipped';
  }
  const started = performance.now();
  let last = '';
  let outcome: 'passed' | 'failed' = 'passed';
  try {
    await test.run((line) => console.log(`  ${last = line}`));
  } catch (error) {
    outcome = 'failed';
    last = error instanceof Error ? error.message : String(error);
    console.log(`  ${last}`);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`  ${outcome} in ${seconds} s`);
  const [result = ''] = last.split('\n', 1);
  if (commit !== null && !isInterrupted()) await recordResult(test.name, { command: heavyCommand(test.name, test.variables, process.env), commit, outcome, seconds, result: result === '' ? test.guarantee : result });
  return outcome;
}

const outcomes = { passed: 0, failed: 0, skipped: 0 };
await runInterruptibly(async () => {
  for (const test of heavyTests) {
    if (!isInterrupted() && (names.length === 0 || names.includes(test.name))) outcomes[await runTest(test)]++;
  }
});
console.log(`\n${outcomes.passed} passed, ${outcomes.failed} failed, ${outcomes.skipped} skipped`);
// Not `exitCode`: the load of a test that has failed may still run.
process.exit(outcomes.failed === 0 ? 0 : 1);
