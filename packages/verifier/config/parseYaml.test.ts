import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openConfigurations } from '../testing/configurations.ts';
import { configurationText } from '../testing/runVerifier.ts';
import { loadConfiguration } from './loadConfiguration.ts';

const { folder, faultsIn, faultsOf } = openConfigurations();
const key = `0x${'1a'.repeat(32)}`;

describe('a hostile file', () => {
  const good = configurationText();
  it.each<[string, string, RegExp]>([
    ['a key twice', `${good}wallet:\n  mode: 1\n`, /line 10: a key appears twice/],
    ['tabs', 'chain:\n\tchain_id: 1\n', /line 2: this line is indented with a tab/],
    ['an open quote', 'chain:\n  chain_name: "a\n', /a quote, bracket, colon or space is missing/],
    ['an alias', 'chain:\n  chain_id: &a 1\n  start_block: *a\n', /anchors and aliases/],
    ['aliases by the million', `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]},`.repeat(9)}]`).join('\n')}\n`, /chain\.chain_id is missing/],
    ['two documents', `${good}---\nchain: {}\n`, /second document/],
    ['a list', '- 1\n- 2\n', /must consist of sections/],
    ['text', 'hello', /must consist of sections/],
    ['a section that is a value', good.replace(/chain:\n(  .*\n)+/, 'chain: 5\n'), /chain is a section/],
    ['a section that is a list', good.replace(/chain:\n(  .*\n)+/, 'chain: [1]\n'), /chain is a section/],
    ['keys that are lists', `? [a]\n: 1\n${good.replace('31337', 'x')}`, /a key must be plain text/],
    ['brackets by the thousand', '['.repeat(100_000), /nested too deeply/],
    ['braces by the thousand', '{a: '.repeat(30_000), /nested too deeply/],
    ['dashes by the thousand', '- '.repeat(100_000), /nested too deeply/],
    ['keys of keys by the thousand', '? '.repeat(100_000), /nested too deeply/],
    ['sections by the hundred', Array.from({ length: 650 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''), /./],
    ['an unknown directive and tag', `%YAML 9\n---\nchain: !!python/object:os.system [x]\n`, /./],
    ['control characters', 'chain:\n  chain_id: "\u0001\u001b[31m"\n', /line 2: chain\.chain_id is "/],
    ['an empty file', '', /chain\.chain_id is missing/],
    ['nothing but a mark of order', '\ufeff', /chain\.chain_id is missing/],
  ])('is refused with a sentence: %s', (_what, text, sentence) => {
    const faults = faultsIn(text);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.join('\n')).toMatch(sentence);
    // oxlint-disable-next-line no-control-regex -- a terminal would act on them
    expect(faults.join('')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });

  it('is not refused for the same fault of a line twice', () => {
    const faults = faultsIn('chain:\n  rpc_url: "http://one.example"\n    - "http://two.example"\n    - "http://three.example"\n');
    expect(faults.length).toBeGreaterThan(0);
    expect(faults).toEqual([...new Set(faults)]);
  });

  it('does not show what stands in it where it is no YAML', () => {
    for (const text of [`wallet:\n  private_key: "${key}\n`, `wallet:\n  private_key: *${key}\n`, `${key}: {\n`, `wallet:\n  keystore_password: "\\q${key}"\n`, `wallet:\n  keystore_password: @${key}\n`]) {
      expect(faultsIn(text).join()).not.toContain(key.slice(2, 20));
    }
  });

  it.each<[string, (path: string) => void, RegExp]>([
    ['no file', () => {}, /the file does not exist/],
    ['a folder', (path) => mkdirSync(path), /the path is a folder/],
      ['300 KB', (path) => writeFileSync(path, 'a'.repeat(300_000)), /exceeds 256 KB/],
    ['bytes', (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0x00])), /not UTF-8/],
  ])('is refused before it is read: %s', (what, make, sentence) => {
    const path = join(folder, what);
    make(path);
    expect(faultsOf(() => loadConfiguration({ '-conf': path })).join()).toMatch(sentence);
  });

  it.runIf(process.platform === 'linux')('ends where the file does not', () => {
    expect(faultsOf(() => loadConfiguration({ '-conf': '/dev/zero' })).join()).toMatch(/exceeds 256 KB/);
  });
});
