import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@vouch/platform/testing/testDatabase';
import { vouchProgram } from '../../bench/harness/serveVouch.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vouch-first-key-'));
  database = await openTestDatabase({ migrations: [] });
});

afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

test('the first start writes its key to a file of this user and not into a pipe, and the key works', async () => {
  // A key file of an older installation, readable by all users.
  await writeFile(join(folder, 'key'), 'old\n');
  await chmod(join(folder, 'key'), 0o644);
  const { PATH = '', HOME = '' } = process.env;
  const server = spawn(process.execPath, [vouchProgram, 'serve', '--no-worker'], {
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: '0', VOUCH_DATA: folder, DATABASE_URL: database.connectionString },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  let output = '';
  try {
    const url = await new Promise<string>((resolve, reject) => {
      const read = (piece: Buffer): void => {
        output += piece.toString();
        const [, found] = /Serving on (\S+)/.exec(output) ?? [];
        if (found !== undefined) resolve(found);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      void ended.then(() => reject(new Error(`it ended: ${output}`)));
    });
    const key = (await readFile(join(folder, 'key'), 'utf8')).trim();
    expect(key).toMatch(/^vch_/);
    expect((await stat(join(folder, 'key'))).mode & 0o777).toBe(0o600);
    expect(output).toContain(join(folder, 'key'));
    expect((await fetch(`${url}/v1/recommender/data_batch`, { headers: { apikey: key } })).status).toBe(200);
    expect(output).not.toContain('vch_');
  } finally {
    server.kill('SIGTERM');
    await ended;
  }
  expect(output).not.toContain('vch_');
});
