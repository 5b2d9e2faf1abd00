import { spawn } from 'node:child_process';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { DatabaseFault } from './databaseFault.ts';

/** The user PostgreSQL runs as; it refuses to run as root. */
export interface ServerUser {
  /** Owner of the server's files, null where that is ourselves. */
  uid: number | null;
  gid: number | null;
  /** Words before the server's own command. */
  command(how: { dieWithParent: boolean }): string[];
}

/** `nobody` on Debian, and no user of anybody's in other systems. */
const nobody = 65534;
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Decides how to run PostgreSQL. An ordinary user runs it himself. Root runs it as uid 65534 (or as the ordinary user
 * who made the data); where that user cannot reach the folder because a folder above is root's alone, in a user
 * namespace in which root is called 65534.
 * @param folder the folder all server files lie in
 * @param program a program the user must be able to run
 */
export async function chooseServerUser(folder: string, program: string): Promise<ServerUser> {
  const linux = process.platform === 'linux';
  const dying = linux && (await runTool(['setpriv', '--pdeathsig', 'INT', 'true'], environment)).status === 0
    ? ['setpriv', '--pdeathsig', 'INT'] : [];
  const rename = ['unshare', '-U', `--map-user=${nobody}`];
  if (process.getuid?.() !== 0) {
    if (linux && !hasName() && (await runTool([...rename, 'true'], environment)).status === 0) {
      return { uid: null, gid: null, command: ({ dieWithParent }) => [...rename, ...(dieWithParent ? dying : [])] };
    }
    return { uid: null, gid: null, command: ({ dieWithParent }) => (dieWithParent ? dying : []) };
  }
  if (!linux) {
    throw new DatabaseFault('PostgreSQL does not run as root: start as an ordinary user, or set DATABASE_URL.');
  }
  const owner = await stat(join(folder, 'data')).then(({ uid, gid }) => ({ uid, gid }), () => ({ uid: 0, gid: 0 }));
  const uid = owner.uid === 0 ? nobody : owner.uid;
  const gid = owner.uid === 0 ? nobody : owner.gid;
  const become = ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  if ((await runTool([...become, program, '--version'], environment)).status === 0) {
    return { uid, gid, command: ({ dieWithParent }) => [...become, ...(dieWithParent ? ['--pdeathsig', 'INT'] : [])] };
  }
  if ((await runTool([...rename, program, '--version'], environment)).status === 0) {
    return { uid: 0, gid: 0, command: ({ dieWithParent }) => [...rename, ...(dieWithParent ? dying : [])] };
  }
  throw new DatabaseFault(`PostgreSQL does not run as root, and no other user can reach ${folder} (tried uid ${uid} with ` +
    'setpriv, and a user namespace with unshare): choose a data folder whose parents others may enter (chmod o+x), ' +
    'start as an ordinary user, or set DATABASE_URL.');
}

/** initdb refuses a user without a name, as containers with arbitrary user ids have. */
function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** Hands a folder with all it holds to the server's user, where it is not his already. */
export async function giveToServerUser(folder: string, user: ServerUser): Promise<void> {
  if (user.uid === null || (await stat(folder)).uid === user.uid) return;
  const gid = user.gid ?? user.uid;
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), user.uid, gid);
  // The folder itself last: its owner says that the work is done.
  await chown(folder, user.uid, gid);
}

/** Runs a short program to its end and gives its exit status and what it wrote. */
export function runTool(command: readonly string[], env: NodeJS.ProcessEnv): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command[0] as string, command.slice(1), { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ status: null, output: error.message }));
    child.on('close', (status) => resolve({ status, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
