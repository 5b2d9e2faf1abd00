import { once } from 'node:events';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { configurationText } from '../testing/runVerifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'vouch-verifier-'));
const program = join(folder, 'verifier');

beforeAll(() => {
  // Copies the build to a folder without node_modules, as on another machine.
  cpSync(new URL('../../../dist/verifier', import.meta.url), folder, { recursive: true });
  writeFileSync(join(folder, 'verifier.yaml'), configurationText(), { mode: 0o600 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(given: readonly string[], input = ''): { code: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(program, given, { cwd: folder, input, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return { code: status, output: stdout, errors: stderr };
}

/** Runs the program until its output matches `shown`, then sends it SIGTERM. */
async function runUntil(given: readonly string[], shown: RegExp): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, given, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env['PATH'] } });
  let output = '';
  child.stdout.on('data', (part: Buffer) => {
    output += part.toString();
    if (shown.test(output)) child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, output };
}

describe('the built program', () => {
  it('is a launcher and a bundle of less than 5 MB, which need nothing of this repository', () => {
    expect(readdirSync(folder).toSorted()).toEqual(['THIRD-PARTY-LICENSES.txt', 'package.json', 'verifier', 'verifier.example.yaml', 'verifier.mjs', 'verifier.yaml']);
    expect(statSync(join(folder, 'verifier.mjs')).size).toBeLessThan(5 * 2 ** 20);
    expect(statSync(program).mode & 0o111).toBe(0o111);
    const outside = readFileSync(join(folder, 'verifier.mjs'), 'utf8').matchAll(/^import .* from ["']([^"']+)["']/gm);
    expect([...outside].map((match) => match[1]).filter((name) => !name!.startsWith('node:') && !['crypto', 'process', 'buffer'].includes(name!))).toEqual([]);
    expect(run(['version']).output).toMatch(/^verifier \d+\.\d+\.\d+ \(Node /);
  });

  it.each(['{"type":"module"}', '{}', null])('runs beside a package.json of %s', (text) => {
    rmSync(join(folder, 'package.json'), { force: true });
    if (text !== null) writeFileSync(join(folder, 'package.json'), text);
    expect(run(['version']).code).toBe(0);
  });

  it('takes verifier.yaml of the working folder, and checks its example', () => {
    expect(run(['config', 'check'])).toMatchObject({ code: 0, errors: '' });
    expect(run(['config', 'check', '-conf', 'verifier.example.yaml'])).toMatchObject({ code: 0, errors: '' });
    expect(run(['-conf', 'none.yaml']).code).toBe(2);
  });

  it('examines what it depends on, and says that it has never run', () => {
    const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
    const dead = '"http://127.0.0.1:9"';
    writeFileSync(join(folder, 'dead.yaml'), configurationText({ 'chain.rpc_url': dead, 'gasless_service.url': dead }), { mode: 0o600 });
    const { code, output } = run(['doctor', '-conf', 'dead.yaml', '-private-key', key, '-json']);
    const codes = (JSON.parse(output) as { findings: { code?: string }[] }).findings.flatMap((finding) => finding.code ?? []);
    expect([code, codes]).toEqual([4, ['rpc-unreachable', 'gateway-unreachable', 'collateral-missing']]);
    expect(run(['status', '-conf', 'dead.yaml', '-private-key', key])).toMatchObject({ code: 4, output: expect.stringContaining('No node has run with this key on this machine') as string });
  });

  exhaustiveTest('puts a key that is there into a keystore, from standard input, for this user alone, and opens it again', async () => {
    const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
    const address = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
    const made = run(['keystore', 'import', '-keystore-path', 'new.json'], `0x${key}\nlong enough\n`);
    expect(made).toMatchObject({ code: 0, output: `${address}\n` });
    expect(made.errors + readFileSync(join(folder, 'new.json'), 'utf8')).not.toContain(key.slice(0, 16));
    expect(statSync(join(folder, 'new.json')).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder, 'password'), 'long enough\n', { mode: 0o600 });
    const { code, output } = await runUntil(['-keystore-path', 'new.json', '-password-file', 'password'], /the key opens: node/);
    // No chain is reachable: the node waits for the chain, and exits normally on the signal.
    expect([code, output]).toEqual([0, expect.stringContaining(`the key opens: node ${address}`)]);
    expect(run(['keystore', 'import', '-keystore-path', 'bad.json'], `${key}0\nlong enough\n`)).toMatchObject({ code: 3, errors: expect.stringContaining('is not a private key') as string });
  });

  exhaustiveTest('leaves a keystore that is there as it is, and names a folder that is missing', () => {
    writeFileSync(join(folder, 'there.json'), 'a keystore\n');
    expect(run(['-generate-keystore', '-keystore-path', 'there.json'], 'long enough\n')).toMatchObject({ code: 3, errors: expect.stringContaining('already exists') as string });
    expect(readFileSync(join(folder, 'there.json'), 'utf8')).toBe('a keystore\n');
    expect(run(['keystore', 'new', '-keystore-path', join('no', 'folder.json'), '-keystore-password', 'long enough'])).toMatchObject({ code: 3, errors: expect.stringContaining('the folder does not exist') as string });
  });
});

describe.runIf(process.platform === 'linux')('a key on the command line', () => {
  it('is gone from the list of processes once the program has begun', async () => {
    const key = '4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
    // The program waits for standard input, so the test can inspect the running process.
    const child = spawn(program, ['keystore', 'import', '-keystore-path', 'seen.json', '-private-key', key], { cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
    try {
      await new Promise((resolve) => child.stderr.once('data', resolve));
      expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').replaceAll('\0', '')).toBe('verifier');
      const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
      expect(processes.split('\n').filter((line) => line.includes(key.slice(0, 16)))).toEqual([]);
    } finally {
      child.kill();
    }
  });
});

/** Types into a terminal of its own what a person would, and prints everything that shows on it. */
const typist = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown = b""
answers = [b"long enough\\r", b"long enough\\r"]
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    shown += part
    if answers and shown.rstrip().endswith(b":") and part.strip():
        os.write(terminal, answers.pop(0))
status = os.waitpid(pid, 0)[1]
sys.stdout.write(shown.decode())
sys.exit(os.waitstatus_to_exitcode(status))
`;
const hasPython = spawnSync('python3', ['-c', 'import pty']).status === 0;
if (!hasPython) console.warn('no python3 with pty: what shows at a terminal is not tested');

/** Creates a keystore at a terminal; without Python, with the password from standard input. @returns everything that the program printed */
function generateKeystore(): { status: number | null; stdout: string } {
  const words = ['-generate-keystore', '-keystore-path', join(folder, 'typed.json')];
  if (hasPython) return spawnSync('python3', ['-c', typist, program, ...words], { encoding: 'utf8' });
  const { code, output } = run(words, 'long enough\n');
  return { status: code, stdout: output };
}

exhaustiveTest('makes a keystore for this user alone: asks twice at a terminal, shows nothing of what is typed, and prints the address', () => {
  const { status, stdout } = generateKeystore();
  expect(status).toBe(0);
  if (hasPython) expect(stdout).toMatch(/Password for the new keystore: \r?\n+Repeat the password: \r?\n/);
  expect(stdout).toMatch(/^0x[0-9a-fA-F]{40}\r?$/m);
  expect(stdout).not.toContain('long');
  expect(statSync(join(folder, 'typed.json')).mode & 0o777).toBe(0o600);
  expect(run(['keystore', 'inspect', '-keystore-path', 'typed.json', '-keystore-password', 'long enough']).output).toContain('opens it');
});
