import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));

/** Histories that forge played. A call that the service refused is a discard; `calls` of the campaign are those that took effect. */
export interface Campaign {
  calls: number;
  metrics: Record<string, { calls: number; discards: number }>;
}

/** What forge says of one test, as far as it is read here. */
interface TestResult {
  status: 'Success' | 'Failure' | 'Skipped';
  reason: string | null;
  kind: { Invariant?: Campaign };
}

/** Tests by contract and name, by the name of their file. */
export type Suites = ReadonlyMap<string, Readonly<Record<string, TestResult>>>;

/**
 * Runs the tests in Solidity, which forge compiles together, without a look at the gas file.
 *
 * @param folder the root of a checkout, or of a copy of the contracts
 * @throws Error with what forge printed where it ran no tests
 */
export async function runForge(
  forge: string, { words = [], environment = {}, folder = root }: { words?: readonly string[]; environment?: Record<string, string>; folder?: string } = {},
): Promise<Suites> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(forge, ['test', '--json', '--gas-snapshot-check', 'false', '--gas-snapshot-emit', 'false', ...words], {
      cwd: folder, env: { ...process.env, FOUNDRY_CONFIG: `${folder}/packages/chain/contracts/foundry.toml`, ...environment }, maxBuffer: 2 ** 28,
    }, (error, stdout, stderr) => {
      // Where a test fails, so does forge.
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve(`${stdout}\n${stderr}`);
    });
  });
  // A campaign that fails prints a line of its own before.
  const line = output.split('\n').find((text) => text.startsWith('{"packages'));
  if (line === undefined) throw new Error(`forge ran no tests:\n${output}`);
  const suites = new Map<string, Record<string, TestResult>>();
  for (const [name, { test_results }] of Object.entries(JSON.parse(line) as Record<string, { test_results: Record<string, TestResult> }>)) {
    const [path, contract] = name.split(':') as [string, string];
    const named = Object.entries(test_results).map(([test, result]) => [`${contract}.${test}`, result] as const);
    suites.set(basename(path), { ...suites.get(basename(path)), ...Object.fromEntries(named) });
  }
  return suites;
}
