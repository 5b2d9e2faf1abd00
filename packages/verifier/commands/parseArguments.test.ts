import { describe, expect, it } from 'vitest';
import { runVerifier } from '../testing/runVerifier.ts';
import { commands } from './commands.ts';
import { flags } from './flags.ts';
import { commandHelp, programHelp } from './help.ts';
import { parseArguments } from './parseArguments.ts';

const read = (...given: string[]): { words: readonly string[]; given: Record<string, string | true> } => {
  const { words, given: map } = parseArguments(given);
  return { words, given: Object.fromEntries(map) };
};

describe('a command line', () => {
  it.each(flags.filter(({ value }) => value !== null).map(({ name }) => name))('has %s with its value, by one dash or two, with a blank or an equals sign', (name) => {
    for (const given of [[name, 'x'], [`-${name}`, 'x'], [`${name}=x`], [`-${name}=x`]]) expect(read(...given)).toEqual({ words: [], given: { [name]: 'x' } });
    expect(read(`${name}=a=b`).given).toEqual({ [name]: 'a=b' });
    expect(read(name, '-7 x').given).toEqual({ [name]: '-7 x' });
  });

  it.each(flags.filter(({ value }) => value === null).map(({ name }) => name))('has the switch %s by one dash or two, on or off', (name) => {
    for (const given of [name, `-${name}`, `${name}=true`]) expect(read(given).given).toEqual({ [name]: true });
    expect(read(`${name}=false`).given).toEqual({});
  });

  it('has the words of the command wherever they stand', () => {
    expect(read('config', '-conf', 'a', 'check')).toEqual({ words: ['config', 'check'], given: { '-conf': 'a' } });
    expect(read('--', '-conf').words).toEqual(['-conf']);
    expect(read('-').words).toEqual(['-']);
  });

  it.each<[string, string[], string]>([
    ['an unknown flag', ['-privatekey', 'x'], '-privatekey: unknown flag; did you mean -private-key?'],
    ['one far from all', ['-zzzzzzzzzz'], '-zzzzzzzzzz: unknown flag; verifier -h lists the flags.'],
    ['a value that is missing', ['-conf'], '-conf: the value is missing: -conf <path>.'],
    ['an empty value', ['-conf', ''], '-conf: the value is missing'],
    ['a flag in the place of a value', ['-private-key', '--conf', 'x'], '-private-key: the value is missing'],
    ['a flag twice', ['-conf', 'a', '--conf=b'], '-conf: the flag is given twice'],
    ['a value for a switch', ['-generate-keystore=x'], '-generate-keystore: the flag takes no value'],
    ['an unknown command', ['sing'], 'sing: unknown command; verifier -h lists'],
    ['a command nearly right', ['keystore', 'mew'], 'did you mean keystore new?'],
    ['half a command', ['keystore'], 'the command requires one of keystore new, keystore import, keystore inspect'],
    ['a flag of another command', ['version', '-conf', 'x'], '-conf: verifier version does not have this flag; its flags are -json'],
    ['a flag that is missing', ['keystore', 'inspect'], '-keystore-path is missing'],
    ['a word behind a command that takes none', ['doctor', 'x'], 'unknown command'],
    ['a word that is missing', ['explain'], 'explain: <attestation> is missing: verifier explain <attestation>.'],
    ['two words in the place of one', ['explain', 'a', 'b'], 'unknown command'],
    ['-generate-keystore without a path', ['-generate-keystore'], '-generate-keystore: the flag requires -keystore-path <path>'],
    ['-generate-keystore with a key', ['-generate-keystore', '-keystore-path', 'x', '-private-key', 'x'], 'cannot be combined with -private-key'],
    ['-generate-keystore with a file', ['-generate-keystore', '-keystore-path', 'x', '-conf', 'x'], 'cannot be combined with -conf'],
  ])('is refused with exit code 2 and one sentence: %s', async (_what, given, sentence) => {
    const { code, output, errors } = await runVerifier(given);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toMatch(/^verifier: [^\n]+\n$/);
    expect(errors).toContain(sentence);
  });

  it('is not repeated where a key stands in the wrong place', async () => {
    const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
    for (const given of [[key], ['explain', `${key}0`], ['explain', key, '-conf', 'none'], [`-private-key${key}`, 'x'], [`-privatekey=${key}`], [`-${key}`], ['-private-key', `${key}0`], ['-keystore-path', 'x', '-private-key', key]]) {
      const { code, output, errors } = await runVerifier(given);
      expect(code).toBe(2);
      expect(output + errors).not.toContain(key.slice(0, 16));
    }
  });
});

describe('the help', () => {
  it('is printed for -h, -help and --help, and ends with 0', async () => {
    for (const flag of ['-h', '-help', '--help', '--h']) expect(await runVerifier([flag])).toEqual({ code: 0, output: programHelp(), errors: '' });
    expect((await runVerifier(['keystore', 'new', '-h'])).output).toContain('-keystore-path <path>');
  });

  it('names every flag with its value and every command, in lines that fit', () => {
    const text = programHelp();
    for (const { name, value } of flags) expect(text).toContain(value === null ? `  ${name} ` : `  ${name} <${value}> `);
    for (const { name, summary } of commands) if (name !== '') expect(text).toMatch(new RegExp(`  ${name} +${summary.replaceAll(/[().]/g, '\\$&')}`));
    for (const command of commands) for (const line of commandHelp(command).split('\n')) expect(line.length).toBeLessThanOrEqual(140);
  });
});
