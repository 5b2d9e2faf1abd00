import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { heavyTests } from '../scale/heavyTests.ts';
import { promises, type ReliabilityPromise } from './promises.ts';
import { reliabilityPage } from './reliabilityPage.ts';
import { heavyCommand, loadResults } from './results.ts';

const promise = (trial: Partial<ReliabilityPromise['trials'][number]>): ReliabilityPromise[] => [{ promise: 'It holds', guide: 'guides/gateway.md', trials: [{ trial: 'A kill', ...trial }] }];
const table = '- Command: `run`\n- Date: 2026-11-01\n\n| what | count |\n| --- | --- |\n| lost: never there | 3 |\n';

describe('the page of reliability', () => {
  it('names only tests that exist', async () => {
    const names = new Set([...heavyTests.map(({ name }) => name), 'gatewayRounds']);
    const results = await loadResults();
    expect([...promises.flatMap(({ trials }) => trials.flatMap(({ onDemand }) => onDemand?.name ?? [])), ...Object.keys(results)].filter((name) => !names.has(name))).toEqual([]);
  });

  it('shows each recorded result', async () => {
    const shown = new Set(promises.flatMap(({ trials }) => trials.flatMap(({ onDemand }) => onDemand?.name ?? [])));
    expect(Object.keys(await loadResults()).filter((name) => !shown.has(name))).toEqual([]);
  });

  it('states the last result, also of a failed run, and that a test has no recorded run', () => {
    const x = { name: 'x', command: 'npm run x' };
    const failed = { command: 'npm run x -- --seed 2', date: '2026-11-02', commit: '0123abcd', outcome: 'failed' as const, seconds: 1, result: '2 lost' };
    expect(reliabilityPage(promise({ onDemand: x }), { x: failed }, new Map())).toContain('- A kill.\n  - `npm run x -- --seed 2`, 2026-11-02, commit 0123abcd: **failed.** 2 lost.');
    expect(reliabilityPage(promise({ onDemand: x }), {}, new Map())).toContain('- A kill.\n  - `npm run x`: no run is recorded.');
    expect(reliabilityPage(promise({ bench: { table: 't', column: 'count', rows: ['lost'] } }), {}, new Map([['t', table]]))).toContain('2026-11-01 ([table](../bench/results/t.md)): lost: never there: 3.');
  });

  it('cannot be written from a row, column or table that does not exist', () => {
    const page = (bench: { table: string; column: string; rows: string[] }): string => reliabilityPage(promise({ bench }), {}, new Map([['t', table]]));
    expect(() => page({ table: 'u', column: 'count', rows: [] })).toThrow('bench/results/u.md');
    expect(() => page({ table: 't', column: 'sum', rows: [] })).toThrow('no column sum');
    expect(() => page({ table: 't', column: 'count', rows: ['found'] })).toThrow('no row found');
  });
});

describe('the recorded command of a heavy test', () => {
  it('sets the variables that the test reads and that had a value', () => {
    expect(heavyCommand('x', ['VOUCH_TEST_A', 'VOUCH_TEST_B'], { VOUCH_TEST_A: '2000', VOUCH_TEST_C: '1' })).toBe('VOUCH_TEST_A=2000 npm run test:heavy -- x');
    expect(heavyCommand('x', ['VOUCH_TEST_A'], { VOUCH_TEST_A: "a|'b" })).toBe(String.raw`VOUCH_TEST_A='a|'\''b' npm run test:heavy -- x`);
    expect(heavyCommand('x', ['VOUCH_TEST_A'], {})).toBe('npm run test:heavy -- x');
  });

  it('leaves out no variable but the paths of programs', async () => {
    const programs = ['VOUCH_TEST_EARLIER', 'VOUCH_TEST_PYTHON', 'VOUCH_TEST_SCHEMATHESIS'];
    const folder = new URL('../scale/', import.meta.url);
    const texts = await Promise.all((await readdir(folder)).filter((name) => name.endsWith('.ts')).map((name) => readFile(new URL(name, folder), 'utf8')));
    const read = new Set(texts.flatMap((text) => [...text.matchAll(/process\.env\['(\w+)'\]/g)].map(([, name]) => name!)));
    const set = new Set([...programs, ...heavyTests.flatMap(({ variables }) => variables ?? [])]);
    expect([...read].toSorted()).toEqual([...set].toSorted());
  });
});
