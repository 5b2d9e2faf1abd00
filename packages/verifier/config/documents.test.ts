import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { commands } from '../commands/commands.ts';
import { flags } from '../commands/flags.ts';
import { causes } from '../doctor/findings.ts';
import { keyList } from './keys.ts';
import { loadConfiguration } from './loadConfiguration.ts';

describe('the example', () => {
  const path = fileURLToPath(new URL('../../../examples/verifier/verifier.yaml', import.meta.url));
  const text = readFileSync(path, 'utf8');

  it('is in order, and names every key with its section', () => {
    expect(loadConfiguration({ '-conf': path }).warnings).toEqual([]);
    const bare = text.replaceAll(/^( *)# ?(?=[ \w]+:|  )/gm, '$1');
    for (const { name } of keyList) expect(bare, name).toMatch(new RegExp(`^ *#? *${name.split('.')[1]}:`, 'm'));
  });

  it('says as a comment what holds without a key', () => {
    for (const name of ['max_block_per_query', 'query_ticker', 'report_delay', 'enable_gas_mode', 'collateral_path', 'data_path', 'reenter']) {
      const { absent } = keyList.find((known) => known.name.endsWith(`.${name}`))!;
      expect(text).toMatch(new RegExp(`# +${name}: "?${absent!.replaceAll('.', '\\.')}"?$`, 'm'));
    }
  });
});

const guide = (name: string): string => readFileSync(fileURLToPath(new URL(`../../../docs/guides/${name}.md`, import.meta.url)), 'utf8');

describe('the guide', () => {
  const text = guide('verifier');

  it('names every key and flag, and what holds without a key', () => {
    for (const { name } of flags) expect(text).toMatch(new RegExp(`^\\| \`${name}[ \`]`, 'm'));
    for (const { name, absent } of keyList) {
      const row = text.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]!.includes(`\`${name}\``));
      expect(row, name).toBeDefined();
      if (absent === undefined) expect(row).toContain('| required');
      else if (/^[\w./]+$/.test(absent) && absent !== 'none') expect(row!.split('|')[3]).toContain(absent);
    }
  });

  it('names every command', () => {
    for (const { name } of commands) expect(text).toMatch(new RegExp(`^\\| \`verifier${name === '' ? '' : ` ${name}`}(?: <\\w+>)?\` \\|`, 'm'));
  });
});

it('the guide to health has every cause that the doctor knows, with how grave it is, and no other', () => {
  const rows = [...guide('verifier-health').matchAll(/^\| `([a-z-]+)` \| (fault|warning) \| \S.* \|$/gm)].map(([, code, status]) => [code, status]);
  expect(Object.fromEntries(rows)).toEqual(causes);
  expect(rows.length).toBe(Object.keys(causes).length);
});
