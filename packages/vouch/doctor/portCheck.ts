import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Finding } from '@vouch/platform/product/findings';
import { platformFindings } from '@vouch/platform/product/platformFindings';
import { listenFault } from '../wiring/listenFault.ts';

/**
 * Checks whether `vouch serve` could listen on the port, and names the process that already does. A running server of the same
 * data folder is not a fault.
 */
export async function checkPort({ host, port, dataFolder }: { host: string; port: number; dataFolder: string }): Promise<Finding> {
  if (port === 0) return { status: 'ok', detail: 'the server chooses a free port' };
  const error = await tryListen(host, port);
  if (error === null) return { status: 'ok', detail: `port ${port} of ${host} is free` };
  if (error.code !== 'EADDRINUSE') {
    return platformFindings.found('port-unusable', `the server cannot listen on ${host}:${port} (${error.code ?? error.message})`, listenFault(error, host, port).message);
  }
  const holder = await findListener(port);
  if (holder !== null && holder.pid === await serverOf(dataFolder)) {
    return { status: 'ok', detail: `vouch serve (process ${holder.pid}) listens on port ${port} of ${host}` };
  }
  const who = holder === null ? 'another program' : `process ${holder.pid} (${holder.program})`;
  return platformFindings.found(
    'port-in-use', `port ${port} of ${host} is in use by ${who}`,
    `Set PORT to a free port (0: any), or stop the other program${holder === null ? `; as root, ss -ltnp 'sport = ${port}' shows the program` : ''}.`,
  );
}

function tryListen(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}

/**
 * Reads the process id from `serve.lock`. The file can outlive a killed server; callers compare the id with the listening
 * process.
 */
async function serverOf(dataFolder: string): Promise<number | null> {
  const text = await readFile(join(dataFolder, 'serve.lock'), 'utf8').catch(() => '');
  const pid = Number(/^process (\d+) on /.exec(text)?.[1]);
  return Number.isNaN(pid) ? null : pid;
}

interface Listener { pid: number; program: string }

/**
 * Finds the process that listens on a TCP port, through Linux's /proc. Returns null on other systems and if another user owns the
 * process.
 */
async function findListener(port: number): Promise<Listener | null> {
  const tables = await Promise.all(['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')));
  const inodes = new Set(tables.join('\n').split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === '0A' && Number.parseInt(local.split(':')[1] ?? '', 16) === port ? [`socket:[${inode}]`] : [];
  }));
  if (inodes.size === 0) return null;
  for (const pid of await readdir('/proc').catch(() => [])) {
    if (/^\d+$/.test(pid) && await holdsOne(pid, inodes)) {
      return { pid: Number(pid), program: (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() || 'unknown' };
    }
  }
  return null;
}

async function holdsOne(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const targets = await Promise.all(descriptors.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return targets.some((target) => inodes.has(target));
}
