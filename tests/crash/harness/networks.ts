import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { killAll } from './processTree.ts';

const execute = promisify(execFile);

/** Networks of a machine, one per peer: PostgreSQL, the chain, and HTTP clients. */
export type NetworkName = 'database' | 'chain' | 'web';

/** A network namespace: a simulated machine with its own IP addresses and network cables that can be unplugged. */
export interface Machine {
  /** Prefix of a command line that runs the command in the namespace. */
  prefix: readonly string[];
  /** Returns the machine's IP address in a network. */
  address(network: NetworkName): string;
  /** Unplugs the cable: packets are lost in both directions, and no connection is closed. */
  cut(...networks: NetworkName[]): Promise<void>;
  join(...networks: NetworkName[]): Promise<void>;
  /** Sends SIGKILL to all processes of the machine. */
  kill(): Promise<void>;
}

export interface Networks {
  /** Returns the IP address at which the machines reach this process. */
  host(network: NetworkName): string;
  machines: readonly Machine[];
  close(): Promise<void>;
}

export const networkNames: readonly NetworkName[] = ['database', 'chain', 'web'];

/** Returns why this machine cannot create network namespaces, or null. */
export async function missingForNetworks(): Promise<string | null> {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  return execute('ip', ['netns', 'list']).then(() => null, () => 'the program ip (iproute2) is not there');
}

/** Creates one bridge per network and `count` machines connected to all bridges. */
export async function openNetworks(count: number): Promise<Networks> {
  const bridge = (network: NetworkName): string => `vouch-${network.slice(0, 4)}`;
  const address = (network: NetworkName, last: number): string => `10.213.${networkNames.indexOf(network) + 1}.${last}`;
  const namespaces = Array.from({ length: count }, (_, at) => `vouch-m${at}`);
  const cable = (network: NetworkName, at: number): string => `vouch-${network.slice(0, 4)}${at}`;
  const close = async (): Promise<void> => {
    for (const name of namespaces) {
      await killAllIn(name);
      await execute('ip', ['netns', 'delete', name]).catch(() => {});
    }
    for (const network of networkNames) await execute('ip', ['link', 'delete', bridge(network)]).catch(() => {});
  };
  // Removes leftovers of an earlier run that was killed.
  await close();
  for (const network of networkNames) {
    await ip('link', 'add', bridge(network), 'type', 'bridge');
    await ip('address', 'add', `${address(network, 1)}/24`, 'dev', bridge(network));
    await ip('link', 'set', bridge(network), 'up');
  }
  const machines: Machine[] = [];
  for (const [at, name] of namespaces.entries()) {
    await ip('netns', 'add', name);
    await ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const network of networkNames) {
      await ip('link', 'add', cable(network, at), 'type', 'veth', 'peer', 'name', network, 'netns', name);
      await ip('link', 'set', cable(network, at), 'master', bridge(network), 'up');
      await ip('-n', name, 'address', 'add', `${address(network, at + 2)}/24`, 'dev', network);
      await ip('-n', name, 'link', 'set', network, 'up');
    }
    machines.push({
      prefix: ['ip', 'netns', 'exec', name],
      address: (network) => address(network, at + 2),
      async cut(...networks) {
        for (const network of networks) await ip('link', 'set', cable(network, at), 'nomaster');
      },
      async join(...networks) {
        for (const network of networks) await ip('link', 'set', cable(network, at), 'master', bridge(network));
      },
      kill: () => killAllIn(name),
    });
  }
  return { host: (network) => address(network, 1), machines, close };
}

/** Kills the processes of a namespace: while one runs, the namespace and its cables stay after the deletion of its name. */
async function killAllIn(namespace: string): Promise<void> {
  const { stdout } = await execute('ip', ['netns', 'pids', namespace]).catch(() => ({ stdout: '' }));
  killAll(stdout.split('\n').filter(Boolean).map((id) => ({ processId: Number(id) })));
}

async function ip(...words: string[]): Promise<void> {
  await execute('ip', words);
}
