import { spawn } from 'node:child_process';
import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { letGroupPass } from './makeDataFolder.ts';
import { DatabaseFault } from './databaseFault.ts';

/** The user PostgreSQL runs as; it refuses to run as root. */
export interface ServerUser {
  /** Owner of the server's files, null where that is ourselves. */
  uid: number | null;
  gid: number | null;
  /** Words before the server's own command. */
  command(how: { dieWithParent: boolean }): string[];
  /** Who makes the files of a database and sets its password: for these the programs refuse a user without a name. */
  initializing: { uid: number | null; gid: number | null; command: readonly string[] };
}

/** `nobody` on Debian, and no user of anybody's in other systems. Services of other software run under this number too. */
const nobody = 65534;
/** Neither systemd nor Debian gives these numbers to a user, and containers with 65,536 numbers have them. */
const ownUids = { first: 65_533, last: 65_520 };
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Decides how to run PostgreSQL. An ordinary user runs it himself. Root runs it as a user that nothing else runs as (or
 * as the ordinary user who made the data), and lets that user's group pass through the data folder; where that user
 * cannot reach it because a folder above is root's alone, in a user namespace in which root is called 65534.
 * @param dataFolder the folder above `postgres`, in which all server files lie
 * @param program a program the user must be able to run
 */
export async function chooseServerUser(dataFolder: string, program: string): Promise<ServerUser> {
  const linux = process.platform === 'linux';
  const dying = linux && (await runTool(['setpriv', '--pdeathsig', 'INT', 'true'], environment)).status === 0
    ? ['setpriv', '--pdeathsig', 'INT'] : [];
  const rename = ['unshare', '-U', `--map-user=${nobody}`];
  const asOneself = (before: readonly string[], uid: 0 | null): ServerUser => ({
    uid, gid: uid, initializing: { uid, gid: uid, command: before },
    command: ({ dieWithParent }) => [...before, ...(dieWithParent ? dying : [])],
  });
  if (process.getuid?.() !== 0) {
    const nameless = linux && !hasName() && (await runTool([...rename, 'true'], environment)).status === 0;
    return asOneself(nameless ? rename : [], null);
  }
  if (!linux) {
    throw new DatabaseFault('PostgreSQL does not run as root: start as an ordinary user, or set DATABASE_URL.');
  }
  const { uid, gid } = await ownerOfData(dataFolder) ?? await unusedUser();
  const become = (as: number): string[] => ['setpriv', '--reuid', String(as), '--regid', String(gid), '--clear-groups'];
  await letGroupPass(dataFolder, gid);
  if ((await runTool([...become(uid), program, '--version'], environment)).status === 0) {
    const named = await isNamed('passwd', uid) ? uid : nobody;
    return {
      uid, gid, initializing: { uid: named, gid, command: become(named) },
      command: ({ dieWithParent }) => [...become(uid), ...(dieWithParent ? ['--pdeathsig', 'INT'] : [])],
    };
  }
  await letGroupPass(dataFolder, null);
  if ((await runTool([...rename, program, '--version'], environment)).status === 0) return asOneself(rename, 0);
  throw new DatabaseFault(`PostgreSQL does not run as root, and no other user can reach ${dataFolder} (tried uid ${uid} with ` +
    'setpriv, and a user namespace with unshare): choose a data folder whose parents others may enter (chmod o+x), ' +
    'start as an ordinary user, or set DATABASE_URL.');
}

/**
 * The ordinary user, or the user of its own, who has the data. Null where there is none yet, where root has it in a user
 * namespace, and where an earlier release gave it to `nobody`, whose processes are not the server's alone.
 */
async function ownerOfData(dataFolder: string): Promise<{ uid: number; gid: number } | null> {
  const folder = join(dataFolder, 'postgres');
  const data = await stat(join(folder, 'data')).catch(() => null);
  if (data === null || data.uid === 0) return null;
  const made = await stat(folder);
  return data.uid === nobody && made.uid === 0 ? null : { uid: data.uid, gid: data.gid };
}

/** A number that is the name of no user and no group here. */
async function unusedUser(): Promise<{ uid: number; gid: number }> {
  for (let id = ownUids.first; id >= ownUids.last; id--) {
    if (!(await isNamed('passwd', id)) && !(await isNamed('group', id))) return { uid: id, gid: id };
  }
  throw new DatabaseFault(`PostgreSQL does not run as root, and all of the uids ${ownUids.last} to ${ownUids.first} belong to ` +
    'users of this system: start as an ordinary user, or set DATABASE_URL.');
}

async function isNamed(list: 'passwd' | 'group', id: number): Promise<boolean> {
  const asked = await runTool(['getent', list, String(id)], environment);
  if (asked.status !== null) return asked.status === 0;
  const lines = (await readFile(`/etc/${list}`, 'utf8').catch(() => '')).split('\n');
  return lines.some((line) => line.split(':')[2] === String(id));
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
export async function giveToServerUser(folder: string, user: Pick<ServerUser, 'uid' | 'gid'>): Promise<void> {
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
