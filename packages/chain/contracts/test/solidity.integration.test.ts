import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { findForge } from './support/findForge.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const config = fileURLToPath(new URL('../foundry.toml', import.meta.url));
const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.t.sol'));

/** What forge says of one file's contract, as far as it is read here. */
interface Suite {
  test_results: Record<string, { status: 'Success' | 'Failure' | 'Skipped'; reason: string | null }>;
}

const forge = findForge();
if (forge === null) {
  process.stdout.write(`Tests in Solidity are skipped: npm has no forge for ${process.platform}-${process.arch}.\n`);
}

let suites: ReadonlyMap<string, Suite>;

/** Runs all files at once; they are compiled together. */
function runForge(path: string): Map<string, Suite> {
  const { stdout, stderr, error } = spawnSync(path, ['test', '--json', '--gas-snapshot-check', 'false', '--gas-snapshot-emit', 'false'], {
    cwd: root, env: { ...process.env, FOUNDRY_CONFIG: config }, encoding: 'utf8', maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw error;
  const line = stdout.split('\n').find((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`forge ran no tests:\n${stdout}\n${stderr}`);
  const answered = Object.entries(JSON.parse(line) as Record<string, Suite>);
  return new Map(answered.map(([name, suite]) => [basename(name.split(':')[0] as string), suite]));
}

describe.skipIf(forge === null)('the contracts, tested in Solidity', () => {
  beforeAll(() => {
    suites = runForge(forge as string);
  }, 300_000);

  it.each(files)('%s', (file) => {
    const results = Object.entries(suites.get(file)?.test_results ?? {});
    const failed = results.filter(([, { status }]) => status !== 'Success').map(([name, { reason }]) => `${name}: ${reason}`);
    expect(failed).toEqual([]);
    expect(results.length).toBeGreaterThan(0);
  });

  it('costs what the gas file says', () => {
    const { status, stdout, stderr } = spawnSync(forge as string, ['test', '--match-path', '*Gas.t.sol', '--gas-snapshot-check', 'true'], {
      cwd: root, env: { ...process.env, FOUNDRY_CONFIG: config }, encoding: 'utf8',
    });
    expect(status, `${stdout}\n${stderr}`).toBe(0);
  });
});
