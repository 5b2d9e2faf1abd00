import { describe, expect, it } from 'vitest';
import { heavyTests } from '../scale/heavyTests.ts';
import { promises, type ReliabilityPromise } from './promises.ts';
import { reliabilityPage } from './reliabilityPage.ts';
import { loadResults } from './results.ts';

const promise = (trial: Partial<ReliabilityPromise['trials'][number]>): ReliabilityPromise[] => [{ promise: 'It holds', guide: 'guides/gateway.md', trials: [{ trial: 'A kill', ...trial }] }];
const table = '- Command: `run`\n- Date: 2026-11-01\n\n| what | count |\n| --- | --- |\n| lost: never there | 3 |\n';

describe('the page of reliability', () => {
  it('names only tests that exist', async () => {
    const names = new Set([...heavyTests.map(({ name }) => name), 'gatewayRounds']);
    const results = await loadResults();
    expect([...promises.flatMap(({ trials }) => trials.flatMap(({ onDemand }) => onDemand?.name ?? [])), ...Object.keys(results)].filter((name) => !names.has(name))).toEqual([]);
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
