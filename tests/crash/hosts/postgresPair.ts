import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '@vouch/platform/testing/freePort';
import { relayTcp, type TcpRelay } from '../harness/relayTcp.ts';
import { waitUntil } from '../harness/place.ts';
import { startService, type Service } from '../harness/service.ts';

const execute = promisify(execFile);
const packages = '/usr/lib/postgresql';
const user = 'postgres';

/** A PostgreSQL server with a standby that confirms each commit. */
export interface PostgresPair {
  /** Connection URL through the relay, for programs in other networks. */
  url: string;
  /** The address that moves to the standby. */
  relay: TcpRelay;
  /** Sends SIGKILL to the server that writes, promotes the standby, moves the address to it, and starts a new standby. */
  failOver(): Promise<void>;
  close(): Promise<void>;
}

interface Member {
  folder: string;
  port: number;
  service: Service;
}

/** Returns why this machine can run no pair, or null. The programs from npm have no `pg_basebackup`. */
export async function missingForPair(): Promise<string | null> {
  return (await findPrograms()) === null ? 'needs pg_basebackup: apt-get install postgresql' : null;
}

async function findPrograms(): Promise<string | null> {
  const versions = await readdir(packages).catch(() => []);
  const newest = versions.toSorted((left, right) => Number(right) - Number(left))[0];
  return newest === undefined ? null : join(packages, newest, 'bin');
}

/** Starts a pair, and a relay to it on an IP address of this machine. The servers need no password, and listen on loopback only. */
export async function startPair(host: string): Promise<PostgresPair> {
  const programs = (await findPrograms()) ?? '';
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (option) => Number((await execute('id', [option, user])).stdout)));
  const become = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
  const root = await mkdtemp(join(tmpdir(), 'vouch-pair-'));
  await chmod(root, 0o755);
  let members = 0;

  const run = (program: string, ...words: string[]): Promise<unknown> => execute('setpriv', [...become, join(programs, program), ...words], { cwd: '/' });
  const ask = async ({ port }: Member, statement: string): Promise<string> =>
    (await execute(join(programs, 'psql'), ['-X', '-A', '-t', '-h', '127.0.0.1', '-p', String(port), '-U', user, '-c', statement])).stdout.trim();

  async function makeFolder(): Promise<string> {
    const folder = join(root, `member${members++}`);
    await mkdir(folder, { mode: 0o700 });
    await chown(folder, uid ?? 0, gid ?? 0);
    return folder;
  }

  async function serve(folder: string): Promise<Member> {
    const port = await freePort();
    const settings = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: folder, max_connections: '200', wal_keep_size: '512MB' };
    const words = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const service = await startService({ program: 'setpriv', arguments: [...become, '--pdeathsig', 'KILL', join(programs, 'postgres'), '-D', folder, ...words], folder: '/' });
    await waitUntil('PostgreSQL answers', () => run('pg_isready', '-q', '-h', '127.0.0.1', '-p', String(port)).then(() => true, () => false));
    return { folder, port, service };
  }

  /** Copies the server that writes, follows it, and lets each commit wait for the copy. */
  async function addStandby(primary: Member): Promise<Member> {
    const folder = await makeFolder();
    await run('pg_basebackup', '-D', folder, '-R', '-X', 'stream', '-c', 'fast', '-d', `host=127.0.0.1 port=${primary.port} user=${user}`);
    const standby = await serve(folder);
    await ask(primary, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await ask(primary, 'SELECT pg_reload_conf()');
    await waitUntil('commits wait for the standby', async () => (await ask(primary, `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'`)) === '1');
    return standby;
  }

  const first = await makeFolder();
  await run('initdb', '-D', first, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale=C');
  let primary = await serve(first);
  await ask(primary, 'CREATE DATABASE vouch');
  let standby = await addStandby(primary);
  const relay = await relayTcp(host, { host: '127.0.0.1', port: primary.port });

  return {
    url: `postgresql://${user}@${host}:${relay.port}/vouch`,
    relay,
    async failOver() {
      await primary.service.kill();
      await rm(primary.folder, { recursive: true, force: true, maxRetries: 5 });
      await run('pg_ctl', 'promote', '-w', '-D', standby.folder);
      primary = standby;
      relay.moveTo({ host: '127.0.0.1', port: primary.port });
      standby = await addStandby(primary);
    },
    async close() {
      await relay.close();
      for (const { service } of [standby, primary]) await service.kill();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
