import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { findForge } from './support/findForge.ts';
import { runForge, type Campaign, type Suites } from './support/runForge.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const config = fileURLToPath(new URL('../foundry.toml', import.meta.url));
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.t.sol'));

const forge = findForge();
if (forge === null) {
  process.stdout.write(`Tests in Solidity are skipped: npm has no forge for ${process.platform}-${process.arch}.\n`);
}

/** Number of histories with 500 calls each. foundry.toml sets five times as many, `npm run test:heavy -- contract-histories` 250 times. */
const histories = 8;

let suites: Suites;

describe.skipIf(forge === null)('the contracts, tested in Solidity', () => {
  beforeAll(async () => {
    suites = await runForge(forge as string, { environment: { FOUNDRY_INVARIANT_RUNS: String(histories) } });
  }, 600_000);

  it.each(files)('%s', (file) => {
    const results = Object.entries(suites.get(file) ?? {});
    const failed = results.filter(([, { status }]) => status !== 'Success').map(([name, { reason }]) => `${name}: ${reason}`);
    expect(failed).toEqual([]);
    expect(results.length).toBeGreaterThan(0);
  });

  it('plays histories of 4,000 calls in which every action takes effect', () => {
    const campaigns = Object.values(suites.get('Invariants.t.sol') ?? {}).flatMap(({ kind }) => kind.Invariant ?? []);
    expect(campaigns.length).toBe(1);
    const { calls, metrics } = campaigns[0] as Campaign;
    expect(calls).toBeGreaterThanOrEqual(histories * 500);
    expect(Object.keys(metrics).length).toBeGreaterThan(20);
    // The rarest action, resolve, takes effect about six times; the random histories change with every change of the sources.
    const never = Object.entries(metrics).filter(([, action]) => action.calls - action.discards < 1);
    expect(never).toEqual([]);
  });

  it('costs what the gas file says', () => {
    const { status, stdout, stderr } = spawnSync(forge as string, ['test', '--match-path', '*Gas.t.sol', '--gas-snapshot-check', 'true'], {
      cwd: root, env: { ...process.env, FOUNDRY_CONFIG: config }, encoding: 'utf8',
    });
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  });
});
