import { spawn } from 'node:child_process';
import { chown, lchown, readdir, readFile, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { letGroupPass } from './makeDataFolder.ts';
import { DatabaseFault } from './databaseFault.ts';

/** The user who runs PostgreSQL, which refuses to run as root. */
export interface ServerUser {
  /** User id of the owner of the server's files; null for the current user. */
  uid: number | null;
  gid: number | null;
  /** Returns the words before the server's own command. */
  command(how: { dieWithParent: boolean }): string[];
  /** User who creates the files of a database and sets its password. For these steps, PostgreSQL's programs require a user with a name. */
  initializing: { uid: number | null; gid: number | null; command: readonly string[] };
}

/** `nobody` on Debian; in other systems often no user. Other services run under this user id too. */
const nobody = 65534;
/** User ids that neither systemd nor Debian assigns, and that exist in containers with 65,536 user ids. */
const ownUids = { first: 65_533, last: 65_520 };
const environment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Decides how to run PostgreSQL. An ordinary user runs it directly. Root runs it as a user that nothing else runs as, or as the ordinary user who
 * created the data; that user's group may then enter the data folder. If that user cannot reach the data folder because only root may enter a parent
 * folder, root runs PostgreSQL in a user namespace in which root has the user id 65534.
 * @param dataFolder the folder above `postgres`, which contains all files of the server
 * @param program a program that the user must be able to run
 * @throws DatabaseFault if no user can run PostgreSQL
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
    'setpriv, and a user namespace with unshare): choose a data folder whose parent folders other users can enter (chmod o+x), ' +
    'start as an ordinary user, or set DATABASE_URL.');
}

/**
 * Returns the user who owns the data: an ordinary user, or the server's own user. Null if there is no data yet, if root owns it (user namespace), or
 * if an earlier release gave it to `nobody`, who may also run other services.
 */
async function ownerOfData(dataFolder: string): Promise<{ uid: number; gid: number } | null> {
  const folder = join(dataFolder, 'postgres');
  const data = await stat(join(folder, 'data')).catch(() => null);
  if (data === null || data.uid === 0) return null;
  const made = await stat(folder);
  return data.uid === nobody && made.uid === 0 ? null : { uid: data.uid, gid: data.gid };
}

/** Returns an id that no user and no group of this system has. */
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

/** initdb requires a user with a name. Containers with arbitrary user ids have none. */
function hasName(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
}

/** Gives a folder and its content to the server's user, unless that user already owns it. */
export async function giveToServerUser(folder: string, user: Pick<ServerUser, 'uid' | 'gid'>): Promise<void> {
  if (user.uid === null || (await stat(folder)).uid === user.uid) return;
  const gid = user.gid ?? user.uid;
  for (const entry of await readdir(folder, { recursive: true })) await lchown(join(folder, entry), user.uid, gid);
  // The folder itself is changed last: its owner shows that all of its content is done.
  await chown(folder, user.uid, gid);
}

/** Runs a short program until it ends. @returns its exit status, null if it could not be started, and its output */
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
