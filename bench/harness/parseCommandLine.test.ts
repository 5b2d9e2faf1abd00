import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeOptions, readDemand } from './parseCommandLine.ts';

const options = { rounds: { type: 'string', default: '7' }, before: { type: 'string' }, quick: { type: 'boolean', default: false } } as const;
const read = (...args: string[]) => readDemand({ args, options }, 'usage: program');

test('options are parsed', () => {
  expect(read('--rounds', '3', '--quick')).toMatchObject({ parsed: { values: { rounds: '3', quick: true } } });
});

test('--help demands the usage, which names each option with its default', () => {
  expect([read('--help'), read('--quick', '-h')]).toEqual([{ help: 'usage: program' }, { help: 'usage: program' }]);
  expect(describeOptions({ options }, 'bench/program.ts')).toBe('usage: node --import tsx bench/program.ts [--rounds 7] [--before BEFORE] [--quick]');
});

test.each([
  [['--round', '3'], "Unknown option '--round'."],
  [['--rounds'], "Option '--rounds <value>' argument missing."],
  [['--rounds', '-1'], "Option '--rounds' argument is ambiguous."],
  [['--quick=yes'], "Option '--quick' does not take an argument."],
  [['further'], "Unexpected argument 'further'."],
])('%j is refused with a sentence', (args, fault) => {
  expect(read(...args)).toEqual({ fault });
});

test('an unknown option is refused with one sentence beside positional arguments', () => {
  expect(readDemand({ args: ['folder', '--round'], options, allowPositionals: true }, 'usage: program')).toEqual({ fault: "Unknown option '--round'." });
});

test('a program ends with exit code 0 after --help, and with 2 after a sentence and the usage', async () => {
  const program = fileURLToPath(new URL('../data/generate.ts', import.meta.url));
  const run = (word: string) => promisify(execFile)(process.execPath, ['--import', 'tsx', program, word]);
  const [help, refusal] = await Promise.all([run('--help'), run('--row').catch((error: unknown) => error)]);
  expect(help.stdout).toMatch(/^usage: .*generate\.ts \[--items 10000\] .*\n$/);
  expect(refusal).toMatchObject({ code: 2, stdout: '', stderr: `Unknown option '--row'.\n${help.stdout}` });
});
