import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmod, chown, lchown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { exhaustiveTest, sampleOf } from '@vouch/platform/testing/exhaustive';
import { createLogger } from '../log/logger.ts';
import { systemInterfaces } from '../process/systemInterfaces.ts';
import { startPostgres } from './embeddedPostgres.ts';
import { lockFolder } from './dataFolder.ts';
import { parseConnection } from './passfile.ts';
import { copyDataFolder } from '../testing/copyDataFolder.ts';

const log = createLogger('silent');
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const fixture = new URL('../testing/children/postgresUser.ts', import.meta.url).pathname;
let parent: string;
/** Data folders of stopped servers, which the tests copy. The database has the table `kept`. */
let made: string;
let folder: string;
let child: ChildProcess | null = null;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'vouch-login-'));
  // Another user may enter the folders above the data folder.
  await chmod(parent, 0o755);
  made = join(parent, 'made');
  const server = await startPostgres({ folder: made, log });
  await query(parseConnection(server.connectionString), 'CREATE TABLE kept AS SELECT n FROM generate_series(1, 1000) AS n');
  await server.stop();
});

afterAll(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }));

beforeEach(() => {
  folder = join(parent, 'data');
});

afterEach(async () => {
  child?.kill('SIGKILL');
  child = null;
  await untilStopped();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function query(config: ClientConfig, statement: string): Promise<unknown[]> {
  const client = new Client(config);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function untilStopped(): Promise<void> {
  while (await readFile(join(folder, 'postgres/data/postmaster.pid')).then(() => true, () => false)) await systemInterfaces.timers.sleep(20);
}

const passfile = (of = folder): string => join(of, 'postgres', 'pgpass');

async function readSecret(of = folder): Promise<string> {
  const secret = /^\*:\*:\*:vouch:([\w-]{43})\n$/.exec(await readFile(passfile(of), 'utf8'))?.[1];
  if (secret === undefined) throw new Error('the password file has another form');
  return secret;
}

/** Settings of a client that knows the socket and the user, but not the password. */
function strangerConfig(connectionString: string): ClientConfig {
  const url = new URL(connectionString);
  return { host: url.searchParams.get('host') as string, user: 'vouch', database: 'vouch' };
}

exhaustiveTest('whoever reaches the socket does not log in without the password, which is random, asked of every user and database, and kept from others', async () => {
  const server = await startPostgres({ folder, log });
  const stranger = strangerConfig(server.connectionString);
  await expect(query(stranger, 'SELECT 1')).rejects.toThrow(/password/);
  await expect(query({ ...stranger, password: 'vouch' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  await expect(query({ ...stranger, database: 'postgres', password: 'x' }, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
  await expect(query({ ...stranger, user: 'postgres', password: 'x' }, 'SELECT 1')).rejects.toMatchObject({ code: /^28/ });
  expect(await query(parseConnection(server.connectionString), 'SELECT 1 AS n')).toEqual([{ n: 1 }]);
  // The password is random. It is only in a file of its owner, and in no connection URL, process list or log.
  const secret = await readSecret();
  expect((await stat(passfile())).mode & 0o777).toBe(0o600);
  expect(server.connectionString).not.toContain(secret);
  const listed = process.platform === 'linux' ? await commandLines() : spawnSync('ps', ['-axww']).stdout.toString();
  expect(listed).toContain(join(folder, 'postgres'));
  expect(listed).not.toContain(secret);
  for (const name of ['postgres.log', 'server.json']) {
    expect(await readFile(join(folder, 'postgres', name), 'utf8'), name).not.toContain(secret);
  }
  await server.stop();
  expect(await readSecret(made)).not.toBe(secret);
});

async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (name: string, file: string): Promise<string> => readFile(`/proc/${name}/${file}`, 'latin1').catch(() => '');
  const all = await Promise.all(pids.flatMap((pid) => [read(pid, 'cmdline'), read(pid, 'environ')]));
  return all.join('\n');
}

exhaustiveTest('a file with another password is named in the sentence, and without the file the next start sets a new password', async () => {
  await copyDataFolder(made, folder);
  await writeFile(passfile(), '*:*:*:vouch:another\n');
  await expect(startPostgres({ folder, log })).rejects.toThrow(new RegExp(`rejects the password in ${passfile()}.*delete the file`));
  await untilStopped();
  await rm(passfile());
  const server = await startPostgres({ folder, log });
  expect(await query(parseConnection(server.connectionString), 'SELECT sum(n)::int AS n FROM kept')).toEqual([{ n: 500_500 }]);
  await server.stop();
});

test('the data folder is made for its owner alone and tightened where it was wider, by whatever comes first', async () => {
  const lock = await lockFolder(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await lock.release();
  await chmod(folder, 0o777);
  await (await lockFolder(folder)).release();
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await rm(folder, { recursive: true });
  await copyDataFolder(made, folder);
  await chmod(folder, 0o777);
  const server = await startPostgres({ folder, log });
  expect((await stat(folder)).mode & 0o067).toBe(0);
  await (await lockFolder(folder)).release();
  // The running server can still reach its files.
  expect(await query(parseConnection(server.connectionString), 'SELECT pg_reload_conf() AS read')).toEqual([{ read: true }]);
  await server.stop();
});

describe.runIf(isRoot && process.platform === 'linux')('as root', () => {
  exhaustiveTest('the server runs as a user that has no name, whose group alone may pass through the data folder', async () => {
    await copyDataFolder(made, folder);
    const server = await startPostgres({ folder, log });
    const uid = await serverUid();
    expect([0, nobody]).not.toContain(uid);
    expect(spawnSync('getent', ['passwd', String(uid)]).status).toBe(2);
    const { mode, uid: owner, gid } = await stat(folder);
    expect({ mode: mode & 0o777, owner, gid }).toEqual({ mode: 0o710, owner: 0, gid: uid });
    const as = (id: number, ...command: string[]): number | null =>
      spawnSync('setpriv', ['--reuid', String(id), '--regid', String(id), '--clear-groups', ...command]).status;
    expect(as(nobody, 'stat', join(folder, 'postgres', 'server.json'))).not.toBe(0);
    expect(as(uid, 'ls', folder)).not.toBe(0);
    expect(as(uid, 'cat', passfile())).not.toBe(0);
    await server.stop();
  });

  /** Data folders of an earlier release, before and after the upgrade. */
  let earlier: string;
  let upgraded: string;
  beforeAll(async () => {
    [earlier, upgraded] = [join(parent, 'earlier'), join(parent, 'upgraded')];
    await makeEarlierFolder(earlier);
    await copyDataFolder(earlier, upgraded);
    await (await startPostgres({ folder: upgraded, log })).stop();
  });

  test('a data folder of an earlier release is taken over without loss: another user, a password', async () => {
    await copyDataFolder(earlier, folder);
    await expectUpgraded();
  });

  exhaustiveTest('where the new password is in its file under the unfinished name only, the next start completes the upgrade', async () => {
    await copyDataFolder(earlier, folder);
    await writeFile(`${passfile()}.unfinished`, '*:*:*:vouch:half\n', { mode: 0o600 });
    await expectUpgraded();
  });

  test.each(sampleOf<[string, () => Promise<void>]>([
    ['the server has a password that no file holds', () => rm(passfile())],
    ['some of the files have the new owner', async () => {
      await giveAll(join(folder, 'postgres/data/base'), nobody);
      await chown(join(folder, 'postgres/data'), nobody, nobody);
    }],
    ['the rules of access are the old ones, and a half of the new lies beside them', async () => {
      await writeFile(join(folder, 'postgres/data/pg_hba.conf'), trustRules);
      await writeFile(join(folder, 'postgres/data/pg_hba.conf.unfinished'), 'local all');
    }],
    ['the group of the data folder is not the server\'s yet', async () => {
      await chown(folder, 0, 0);
      await chmod(folder, 0o700);
    }],
  ], 1))('where the upgrade ended halfway, the next start completes it: %s', async (_, halfway) => {
    await copyDataFolder(upgraded, folder);
    await halfway();
    await expectUpgraded();
  });

  exhaustiveTest('an upgrade killed at any moment is completed by the next start', async () => {
    await copyDataFolder(earlier, folder);
    // Each process lives longer than the one before: the kills cover the whole upgrade, from before its first step to after its last.
    for (let life = 0; life < 10; life++) {
      const started = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), fixture, 'server', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
      child = started;
      const ready = new Promise<true>((resolve) => started.stdout.once('data', () => resolve(true)));
      let before = await lookAtFiles();
      for (let changes = 0; changes <= life;) {
        const now = await lookAtFiles();
        if (now !== before) changes++;
        before = now;
        if (await Promise.race([ready, systemInterfaces.timers.sleep(1)])) break;
      }
      started.kill('SIGKILL');
      await new Promise((resolve) => started.once('exit', resolve));
    }
    await expectUpgraded();
  });
});

/** Lists owners and change times of the server's folders. Each step of an upgrade changes one of them. */
async function lookAtFiles(): Promise<string> {
  const at = [folder, join(folder, 'postgres'), join(folder, 'postgres/data'), join(folder, 'postgres/data/base')];
  return JSON.stringify(await Promise.all(at.map((path) => stat(path).then(({ uid, ctimeMs }) => [uid, ctimeMs], () => null))));
}

const trustRules = 'local all all trust\nhost all all 127.0.0.1/32 trust\n';

async function giveAll(path: string, id: number): Promise<void> {
  for (const name of await readdir(path, { recursive: true })) await lchown(join(path, name), id, id);
  await lchown(path, id, id);
}

/**
 * Creates a folder as releases before the password left it: owned by `nobody`, without a password, all local logins accepted, all users may enter.
 */
async function makeEarlierFolder(at: string): Promise<void> {
  await copyDataFolder(made, at);
  const server = await startPostgres({ folder: at, log });
  await query(parseConnection(server.connectionString), 'ALTER ROLE vouch PASSWORD NULL');
  await server.stop();
  await rm(passfile(at));
  await writeFile(join(at, 'postgres/data/pg_hba.conf'), trustRules);
  await giveAll(join(at, 'postgres/data'), nobody);
  await chown(at, 0, 0);
  await chmod(at, 0o755);
}

async function expectUpgraded(): Promise<void> {
  const server = await startPostgres({ folder, log });
  expect(await query(parseConnection(server.connectionString), 'SELECT sum(n)::int AS n FROM kept')).toEqual([{ n: 500_500 }]);
  await expect(query(strangerConfig(server.connectionString), 'SELECT 1')).rejects.toThrow(/password/);
  const uid = await serverUid();
  expect([0, nobody]).not.toContain(uid);
  const data = join(folder, 'postgres/data');
  for (const name of await readdir(data, { recursive: true })) {
    // Temporary files can disappear while the server runs.
    const owner = await stat(join(data, name)).then((found) => found.uid, () => uid);
    expect(owner, name).toBe(uid);
  }
  expect((await stat(folder)).mode & 0o777).toBe(0o710);
  await server.stop();
}

async function serverUid(): Promise<number> {
  const pid = Number.parseInt(await readFile(join(folder, 'postgres/data/postmaster.pid'), 'utf8'), 10);
  return (await stat(`/proc/${pid}`)).uid;
}
