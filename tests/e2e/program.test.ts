import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { exhaustive, exhaustiveTest } from '@vouch/platform/testing/exhaustive';
import { vouchProgram as program } from '../../bench/harness/serveVouch.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-program-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Result {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs the program in a new folder, as after an installation. Sets the port, because another program may use the default port.
 */
function vouch(args: readonly string[], environment: Record<string, string> = {}): Promise<Result> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd: folder, env: { PATH, HOME, PORT: '0', ...environment } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('doctor finds nothing at fault in a new folder', async () => {
  const { code, stdout } = await vouch(['doctor']);
  expect(stdout).toMatch(/ok +PostgreSQL +embedded/);
  expect(stdout).toMatch(/ok +blobs/);
  expect(stdout).not.toContain('FAULT');
  expect(code).toBe(0);
});

test('doctor names every fault of the configuration, says the mend and exits with 4', async () => {
  const { code, stdout } = await vouch(['doctor', '--json'], { PORT: '99999', VOUCH_DATAA: 'x', VOUCH_ADMIN_KEY: 'short-secret' });
  const reports = JSON.parse(stdout) as { check: string; findings: { status: string; detail: string; remedy?: string }[] }[];
  const fault = reports.find(({ check }) => check === 'configuration')?.findings[0];
  expect(fault?.status).toBe('fault');
  expect(fault?.detail).toContain('PORT');
  expect(fault?.detail).toContain('65535');
  expect(fault?.detail).toContain('did you mean VOUCH_DATA?');
  expect(fault?.detail).toContain('VOUCH_ADMIN_KEY');
  expect(stdout).not.toContain('short-secret');
  expect(fault?.remedy).toBeTruthy();
  expect(code).toBe(4);
});

test('doctor says so when the database cannot be reached, without its password', async () => {
  const { code, stdout } = await vouch(['doctor'], { DATABASE_URL: 'postgres://vouch:pa55word@127.0.0.1:1/vouch' });
  expect(stdout).toMatch(/FAULT +PostgreSQL/);
  expect(stdout).toContain('→');
  expect(stdout).not.toContain('pa55word');
  expect(code).toBe(4);
});

exhaustiveTest('keys are made, listed without themselves, replaced and revoked', async () => {
  const made = JSON.parse((await vouch(['keys', 'create', '--name', 'shop', '--scope', 'recommend:read', '--json'])).stdout) as { key: string; id: string };
  expect(made.key).toMatch(/^vch_/);
  const listed = await vouch(['keys', 'list']);
  expect(listed.stdout).toContain('shop');
  expect(listed.stdout).not.toContain(made.key);
  expect((await vouch(['keys', 'rotate', made.id])).stdout).toContain('vch_');
  expect((await vouch(['keys', 'revoke', made.id])).stdout).toContain('revoked');
  expect((await vouch(['keys', 'revoke', 'nothing'])).stderr).toContain('No key has the id "nothing"');
});

exhaustiveTest('an unknown scope, product, command and backup each get a sentence', async () => {
  expect((await vouch(['keys', 'create', '--scope', 'recommend:write'])).stderr).toContain('recommend:write');
  // A lifetime of 0 days would create a key that never works.
  expect((await vouch(['keys', 'create', '--scope', 'admin', '--expires', '0'])).stderr).toContain("argument '0' is invalid. The value must be a whole number from 1 to 99999.");
  expect((await vouch(['serve', '--only', 'theatre'])).stderr).toContain('Unknown product "theatre". Available');
  expect((await vouch(['sevre'])).stderr).toContain("Did you mean serve?");
  expect((await vouch(['restore', folder])).stderr).toContain('is not a complete backup');
});

test('every command explains itself', async () => {
  const { stdout } = await vouch(['--help']);
  const names = [...stdout.matchAll(/^ {2}(\w+) (?:\[options\] )?.*/gm)].map(([, name]) => name).filter((name) => name !== 'vouch' && name !== 'help');
  for (const name of ['serve', 'worker', 'summarize', 'migrate', 'keys', 'webhooks', 'batches', 'models', 'recommend', 'explain', 'rules', 'experiments', 'runs', 'backup', 'restore', 'blobs', 'demo', 'devnet', 'doctor']) {
    expect(names).toContain(name);
    expect((await vouch([name, '--help'])).stdout).toContain(`Usage: vouch ${name}`);
  }
});

exhaustiveTest('a blob store with another owner is named by doctor, keeps a server from starting, and is taken over when told', async () => {
  const owner = join(folder, 'data', 'blobs', 'owner');
  await mkdir(dirname(owner), { recursive: true });
  await writeFile(owner, `vouch installation ${randomUUID()} ${randomUUID()}`);
  const refused = await vouch(['serve']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(/^vouch: The folder .* belongs to another installation.*vouch blobs claim\.$/m);
  expect((await vouch(['doctor'])).stdout).toMatch(/FAULT +blobs +The folder .* belongs to another installation/);
  expect((await vouch(['blobs', 'claim'])).stdout).toMatch(/Owner: another installation\nFiles: 0 \(0\.0 GB\), 0 of these without a reference in this database\nNothing was changed/);
  expect(JSON.parse((await vouch(['blobs', 'claim', '--yes', '--json'])).stdout)).toMatchObject({ owner: 'another', blobs: 0, named: 0, claimed: true });
  expect((await vouch(['blobs', 'claim'])).stdout).toContain('Owner: this database');
  expect((await vouch(['doctor'])).stdout).not.toContain('FAULT');
});

exhaustiveTest('the secret of callbacks is shown and replaced', async () => {
  const before = (await vouch(['webhooks', 'secret', 'show'])).stdout.trim();
  // The first serve or the first key creates the organization.
  expect(before).toMatch(/^whsec_/);
  const after = (await vouch(['webhooks', 'secret', 'rotate'])).stdout;
  expect(after).toMatch(/^whsec_/);
  expect(after).not.toContain(before);
  expect(after).toContain('also signed with the previous secret until');
});

test.skipIf(process.platform !== 'linux' || !exhaustive)('folders in /proc, where nothing can be made, are refused with a sentence', async () => {
  const served = await vouch(['serve'], { VOUCH_DATA: '/proc/vouch' });
  expect(served).toMatchObject({ code: 1, stdout: '' });
  expect(served.stderr).toBe(
    'vouch: The data folder /proc/vouch cannot be written (ENOENT): give this user write access, or choose another ' +
      'folder with VOUCH_DATA.\n');
  const backedUp = await vouch(['backup', '/proc/vouch']);
  expect(backedUp).toEqual({
    code: 3, stdout: '', stderr: 'vouch: The folder /proc/vouch cannot be created (ENOENT). Choose a folder that this user can write to.\n',
  });
});

exhaustiveTest('a command whose reader has gone ends in order, without a stack', async () => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, 'doctor'], { cwd: folder, env: { PATH, HOME, PORT: '0' }, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const errors = text(child.stderr);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect(await errors).toBe('');
  expect(code).toBe(0);
});

/** Runs the program through a shell, which directs its output to a device that is always full. */
function intoFull(command: string): Promise<Result> {
  const { PATH = '', HOME = '' } = process.env;
  return new Promise((resolve) => {
    execFile('sh', ['-c', command, process.execPath, program], { cwd: folder, env: { PATH, HOME, PORT: '0' } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test.runIf(process.platform === 'linux')('a command whose output does not fit on the disk says so in one sentence, and exits with 1', async () => {
  const { code, stderr } = await intoFull('"$0" "$1" --help > /dev/full');
  expect(stderr).toMatch(/^vouch: standard output cannot be written, so its text is incomplete: ENOSPC: no space left on device, write\. Free space or write to another file, and run the command again\.\n$/);
  expect(code).toBe(1);
  expect((await intoFull('"$0" "$1" nonsense 2> /dev/full')).code).toBe(2);
});

test.runIf(process.platform === 'linux')('a server whose log does not fit on the disk serves', async () => {
  const data = join(folder, `full ${randomUUID()}`);
  const child = spawn('sh', ['-c', 'exec "$0" "$1" serve 2> /dev/full', process.execPath, program], { env: { PATH: process.env['PATH'] ?? '', HOME: folder, PORT: '0', VOUCH_DATA: data }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => { printed += chunk.toString(); });
  await Promise.race([ended, vi.waitFor(() => expect(printed).toMatch(/http:\/\/127\.0\.0\.1:\d+/), { timeout: 240_000, interval: 200 })]);
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? ['not served'];
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/v1/recommender/models`)).status).toBe(401);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
