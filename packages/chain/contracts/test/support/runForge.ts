import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));

/** Result of an invariant campaign. Calls that the service refused are discards; `calls` counts only the other ones. */
export interface Campaign {
  calls: number;
  metrics: Record<string, { calls: number; discards: number }>;
}

/** The fields of forge's test result that are used here. */
interface TestResult {
  status: 'Success' | 'Failure' | 'Skipped';
  reason: string | null;
  kind: { Invariant?: Campaign };
}

/** Test results by contract and test name, grouped by file name. */
export type Suites = ReadonlyMap<string, Readonly<Record<string, TestResult>>>;

/**
 * Runs the Solidity tests with forge, without checking the gas snapshot.
 *
 * @param folder root of a checkout, or of a copy of the contracts
 * @throws Error with forge's output if no tests ran
 */
export async function runForge(
  forge: string, { words = [], environment = {}, folder = root }: { words?: readonly string[]; environment?: Record<string, string>; folder?: string } = {},
): Promise<Suites> {
  const output = await new Promise<string>((resolve, reject) => {
    execFile(forge, ['test', '--json', '--gas-snapshot-check', 'false', '--gas-snapshot-emit', 'false', ...words], {
      cwd: folder, env: { ...process.env, FOUNDRY_CONFIG: `${folder}/packages/chain/contracts/foundry.toml`, ...environment }, maxBuffer: 2 ** 28,
    }, (error, stdout, stderr) => {
      // forge exits with a nonzero code if a test fails; only other errors are rejected.
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve(`${stdout}\n${stderr}`);
    });
  });
  // A failing campaign prints an additional line before the JSON.
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
