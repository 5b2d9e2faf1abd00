import { spawn } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { takeLock } from '../process/fileLock.ts';
import { writePrivateFile } from '../process/writePrivateFile.ts';
import { DatabaseFault } from './databaseFault.ts';
import { writePassword } from './passfile.ts';
import type { PostgresSource } from './postgresBinaries.ts';
import { passfileOf, user } from './runningServer.ts';
import { giveToServerUser, runTool, type ServerUser } from './serverUser.ts';

/** The server needs nothing of our environment, and our secrets are none of its business. */
export const toolEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' };

/** Where the files of one embedded server are, and who runs it. */
export interface Cluster {
  /** The subfolder `postgres` of the data folder. */
  folder: string;
  /** The folder above `bin`. */
  root: string;
  serverUser: ServerUser;
}

/** Makes the files of an empty database, under their name only once they are whole. */
export async function initializeCluster({ folder, root, serverUser }: Cluster, source: PostgresSource): Promise<void> {
  const unfinished = join(folder, 'data.unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await rm(join(folder, 'data'), { recursive: true, force: true });
  // Its password goes with it.
  await rm(passfileOf(folder), { force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await giveToServerUser(unfinished, serverUser.initializing);
  // macOS has no locale C.UTF-8; there the server's own one does the same work.
  const locale = process.platform === 'darwin' && source === 'npm'
    ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    : ['--locale=C.UTF-8'];
  const made = await runTool([
    ...serverUser.initializing.command, join(root, 'bin', 'initdb'), '-D', unfinished, '-U', user,
    '--auth=reject', '--encoding=UTF8', ...locale, '--data-checksums',
  ], toolEnvironment);
  if (made.status !== 0) {
    throw new DatabaseFault(`The database could not be made in ${folder}: ${whyNotMade(made.output)}`);
  }
  await rename(unfinished, join(folder, 'data'));
}

/** initdb says much before it fails; the line of the server says why. */
export function whyNotMade(output: string): string {
  if (/No space left on device|Disk quota exceeded/i.test(output)) return 'its disk is full. Free space, or choose another folder with VOUCH_DATA.';
  return (/(?:FATAL|PANIC|ERROR):.*/.exec(output)?.[0] ?? output.trim()).slice(-1_000);
}

/**
 * Makes sure that nobody logs in without the password of the password file, and that the files are the server's user's: also
 * in a database of an earlier release, which let in everybody who reached its socket. Each step can be repeated; the server
 * must not run.
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

/** Nobody but the one user, and by password only. Nothing is said of TCP: the server does not listen there. */
const accessRules = `# Written by vouch at each start.
local all ${user} scram-sha-256
`;

async function writeAccessRules({ folder, serverUser }: Cluster): Promise<void> {
  const path = join(folder, 'data', 'pg_hba.conf');
  if (await readFile(path, 'utf8').catch(() => null) === accessRules) return;
  const { uid, gid } = serverUser;
  await writePrivateFile(path, accessRules, uid === null ? undefined : { uid, gid: gid ?? uid });
}

/**
 * Stores the verifier of the user's password with PostgreSQL's single-user mode, which asks for no password and listens
 * nowhere. The statement goes through standard input, where no list of processes shows it.
 */
async function setVerifier(cluster: Cluster, verifier: string, sync: 'synced' | 'not synced'): Promise<void> {
  const { folder, root, serverUser } = cluster;
  // The child inherits the lock: while it lives, no other start takes the folder, even where this process is killed.
  const lock = await takeLock(join(folder, 'server.lock'));
  if (lock === null) throw new DatabaseFault(`A PostgreSQL has just begun to use ${folder}: start again.`);
  try {
    const command = [
      ...serverUser.initializing.command, join(root, 'bin', 'postgres'), '--single', '-D', join(folder, 'data'),
      ...(sync === 'synced' ? [] : ['-c', 'fsync=off']), 'postgres',
    ];
    const { status, output } = await feed(command, `alter role ${user} password '${verifier}'\n`, lock.handle.fd);
    // In this mode a failed statement does not change the exit status.
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
    // A server that ends early closes the pipe; its status says so.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
