import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { everybodyWith, things } from '../e2e/harness/catalogue.ts';
import { startVouch } from '../e2e/harness/startVouch.ts';
import { expectEqual, expectTrue, type HeavyTest } from './heavyTest.ts';

const program = process.env['VOUCH_TEST_SCHEMATHESIS'] ?? 'schemathesis';
const configuration = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
/** Generated requests per operation and phase; with three keys, at least 20,000 requests in total. */
const examples = Number(process.env['VOUCH_TEST_EXAMPLES'] ?? 120);

interface Report {
  test_cases: { generated: number; unique_failures: number; errored: number };
  operations: { total: number; tested: number };
  failures: { code: string; title: string; operations: unknown }[];
}

/** Sends requests that Schemathesis (PyPI) generates from `/openapi.json`: valid requests, invalid requests, and sequences. */
export const schemathesis: HeavyTest = {
  name: 'schemathesis',
  guarantee: 'whatever is generated from the OpenAPI description, the answers are as described: no 5xx, no undocumented status, no body of another shape',
  variables: ['VOUCH_TEST_EXAMPLES'],
  skip: async () => ((await run(['--version'])).code === 0
    ? null : `${program} is not installed: pip install schemathesis, or name the program in VOUCH_TEST_SCHEMATHESIS`),
  async run(print) {
    const folder = await mkdtemp(join(tmpdir(), 'vouch-schemathesis-'));
    const vouch = await startVouch({ database: 'embedded', arguments: ['--devnet'] });
    try {
      await vouch.client.upload([everybodyWith(['u1', 'u2', 'u3', 'u4'], ['a', 'b', 'c']), things(['a', 'A'], ['b', 'B'], ['c', 'C'])], ['films']);
      await vouch.client.train({ model_id: 'films' });
      const reader = await vouch.createKey({ organization: 'default', scopes: ['data:read', 'model:read', 'recommend:read', 'video:read'] });
      let generated = 0;
      for (const [seed, [kind, key]] of Object.entries({ admin: vouch.key, reader: reader.key, unknown: 'vch_unknown' }).entries()) {
        generated += await attack({ url: vouch.url, kind, key, seed: seed + 1, folder }, print);
      }
      expectTrue(`${generated} requests were generated, fewer than ${3 * examples}`, generated >= 3 * examples);
      print(`${generated} requests in total to the described operations, with a key of all scopes, one of a reader and an unknown one: 0 failures, 0 errors`);
      expectEqual('faults in the log of the server', (await vouch.log()).split('\n').filter((line) => /"level":"(error|fatal)"/.test(line)), []);
    } finally {
      await vouch.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/**
 * Runs Schemathesis against a server.
 * @returns the number of generated requests
 * @throws Error with the report of Schemathesis if a response violates the description
 */
async function attack({ url, kind, key, seed, folder }: { url: string; kind: string; key: string; seed: number; folder: string }, print: (line: string) => void): Promise<number> {
  const path = join(folder, `${kind}.json`);
  const { output } = await run([
    '--config-file', configuration, 'run', `${url}/openapi.json`, '--header', `apikey: ${key}`, '--max-examples', String(examples), '--seed', String(seed),
    // One worker, because version 4.32 sometimes fails with an internal KeyError with two workers.
    '--workers', '1', '--no-shrink', '--report', 'json', '--report-json-path', path,
  ]);
  const report = await readFile(path, 'utf8').then((text) => JSON.parse(text) as Report).catch(() => null);
  if (report === null) throw new Error(`Schemathesis gave no report:\n${output}`);
  const { test_cases: cases, operations } = report;
  print(`key ${kind}: ${cases.generated} requests to ${operations.tested} of ${operations.total} operations, ${cases.unique_failures} failures, ${cases.errored} errors`);
  if (cases.unique_failures + cases.errored > 0) throw new Error(`key ${kind}: ${cases.unique_failures} failures and ${cases.errored} errors in ${cases.generated} requests\n${output}`);
  expectEqual('operations', operations.tested, operations.total);
  return cases.generated;
}

function run(words: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, words, { maxBuffer: 2 ** 28, cwd: tmpdir() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}
