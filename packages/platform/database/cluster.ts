import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../process/fileLock.ts';
import { syncFolder, writeFileAtomically } from '../process/writeFileAtomically.ts';
import { DatabaseFault } from './databaseFault.ts';
import { writePassword } from './passfile.ts';
import type { PostgresSource } from './postgresBinaries.ts';
import { passfileOf, user } from './runningServer.ts';
import { giveToServerUser, runTool, type ServerUser } from './serverUser.ts';

/** The minimal environment of the server and its tools. Variables of this process may contain secrets, so they are not passed on. */
export const toolEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

/** The location of the files of one embedded server, and the user who runs it. */
export interface Cluster {
  /** The subfolder `postgres` of the data folder. */
  folder: string;
  /** The folder above `bin`. */
  root: string;
  serverUser: ServerUser;
}

/** Creates the files of an empty database. The folder gets its final name only after initdb has succeeded. @throws DatabaseFault if initdb fails */
export async function initializeCluster({ folder, root, serverUser }: Cluster, source: PostgresSource): Promise<void> {
  const unfinished = join(folder, 'data.unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await rm(join(folder, 'data'), { recursive: true, force: true });
  // The password file belongs to the deleted files.
  await rm(passfileOf(folder), { force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await giveToServerUser(unfinished, serverUser.initializing);
  // macOS has no locale C.UTF-8; PostgreSQL's built-in locale provider has the same one.
  const locale = process.platform === 'darwin' && source === 'npm'
    ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    : ['--locale=C.UTF-8'];
  const made = await runTool([
    ...serverUser.initializing.command, join(root, 'bin', 'initdb'), '-D', unfinished, '-U', user,
    '--auth=reject', '--encoding=UTF8', ...locale, '--data-checksums',
  ], toolEnvironment);
  if (made.status !== 0) {
    throw new DatabaseFault(`The database could not be created in ${folder}: ${whyNotMade(made.output)}`);
  }
  await rename(unfinished, join(folder, 'data'));
  // PostgreSQL syncs what it stores in its folder, but not the name of the folder.
  await syncFolder(folder);
}

/** Extracts the reason from the output of initdb, which prints much before it fails: the server's FATAL, PANIC or ERROR line. */
export function whyNotMade(output: string): string {
  if (/No space left on device|Disk quota exceeded/i.test(output)) return 'its disk is full. Free space, or choose another folder with VOUCH_DATA.';
  return (/(?:FATAL|PANIC|ERROR):.*/.exec(output)?.[0] ?? output.trim()).slice(-1_000);
}

/**
 * Ensures that a login requires the password of the password file, and that the server's user owns the files. Also upgrades a database of an earlier
 * release, which accepted all local users who could reach its socket. Each step can be repeated. The server must not be running.
 */
export async function requirePassword(cluster: Cluster, sync: 'synced' | 'not synced'): Promise<void> {
  const { folder, serverUser } = cluster;
  const path = passfileOf(folder);
  const there = await stat(path).then(() => true, () => false);
  if (!there) {
    await giveToServerUser(join(folder, 'data'), serverUser.initializing);
    await writePassword(path, user, (verifier) => setVerifier(cluster, verifier, sync));
  }
  await giveToServerUser(join(folder, 'data'), serverUser);
  await writeAccessRules(cluster);
}

/** Only this user may log in, and only with the password. There is no rule for TCP, because the server does not listen there. */
const accessRules = `# Written by vouch at each start.
local all ${user} scram-sha-256
`;

async function writeAccessRules({ folder, serverUser }: Cluster): Promise<void> {
  const path = join(folder, 'data', 'pg_hba.conf');
  if (await readFile(path, 'utf8').catch(() => null) === accessRules) return;
  const { uid, gid } = serverUser;
  await writeFileAtomically(path, accessRules, uid === null ? {} : { owner: { uid, gid: gid ?? uid } });
}

/**
 * Stores the password's verifier in PostgreSQL's single-user mode, which requires no password and opens no socket. The statement is passed on
 * standard input, because command lines are visible in process lists.
 */
async function setVerifier(cluster: Cluster, verifier: string, sync: 'synced' | 'not synced'): Promise<void> {
  const { folder, root, serverUser } = cluster;
  // The child inherits the lock. While the child lives, no other start uses the folder, even if this process is killed.
  const lock = await takeLock(join(folder, 'server.lock'));
  if (lock === null) throw new DatabaseFault(`Another PostgreSQL server has just started to use ${folder}: run the command again.`);
  try {
    const command = [
      ...serverUser.initializing.command, join(root, 'bin', 'postgres'), '--single', '-D', join(folder, 'data'),
      ...(sync === 'synced' ? [] : ['-c', 'fsync=off']), 'postgres',
    ];
    const { status, output } = await feed(command, `ALTER ROLE ${user} PASSWORD '${verifier}'\n`, lock.handle.fd);
    // In single-user mode, a failed statement does not change the exit status.
    if (status !== 0 || /\b(ERROR|FATAL|PANIC):/.test(output)) {
      throw new DatabaseFault(`The password of the embedded database in ${folder} could not be set (status ${String(status)}): ` +
        output.replaceAll(verifier, '[secret]').trim().slice(-1_000));
    }
  } finally {
    await lock.release();
  }
}

function feed(command: readonly string[], input: string, lock: number): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command[0] as string, command.slice(1), {
      env: toolEnvironment, cwd: '/', stdio: ['pipe', 'pipe', 'pipe', lock],
    });
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ status: null, output: error.message }));
    child.on('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString('utf8') }));
    // A server that ends early closes the pipe. Its exit status reports the failure.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
