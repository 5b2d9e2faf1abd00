import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What a machine reaches over a network of its own each: PostgreSQL, the chain, and those who ask it over HTTP. */
export type NetworkName = 'database' | 'chain' | 'web';

/** A network namespace: a machine with its own addresses, whose cables can be pulled. */
export interface Machine {
  /** Words before a command that make it run there. */
  prefix: readonly string[];
  /** Its IP address in a network. */
  address(network: NetworkName): string;
  /** Pulls the cable: what is sent vanishes in both directions, and no connection is told. */
  cut(...networks: NetworkName[]): Promise<void>;
  join(...networks: NetworkName[]): Promise<void>;
}

export interface Networks {
  /** The IP address under which the machines find this process. */
  host(network: NetworkName): string;
  machines: readonly Machine[];
  close(): Promise<void>;
}

export const networkNames: readonly NetworkName[] = ['database', 'chain', 'web'];

/** Why there can be no networks here; null where there can. */
export async function missingForNetworks(): Promise<string | null> {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  return execute('ip', ['netns', 'list']).then(() => null, () => 'the program ip (iproute2) is not there');
}

/** Makes one bridge per network and machines on all of them. */
export async function openNetworks(count: number): Promise<Networks> {
  const bridge = (network: NetworkName): string => `vouch-${network.slice(0, 4)}`;
  const address = (network: NetworkName, last: number): string => `10.213.${networkNames.indexOf(network) + 1}.${last}`;
  const namespaces = Array.from({ length: count }, (_, at) => `vouch-m${at}`);
  const cable = (network: NetworkName, at: number): string => `vouch-${network.slice(0, 4)}${at}`;
  const close = async (): Promise<void> => {
    for (const name of namespaces) await execute('ip', ['netns', 'delete', name]).catch(() => {});
    for (const network of networkNames) await execute('ip', ['link', 'delete', bridge(network)]).catch(() => {});
  };
  // Of a run that was killed.
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
    });
  }
  return { host: (network) => address(network, 1), machines, close };
}

async function ip(...words: string[]): Promise<void> {
  await execute('ip', words);
}
