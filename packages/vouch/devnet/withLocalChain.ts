import type { Product } from '@vouch/platform/product/product';
import type { Configuration } from '../wiring/configuration.ts';
import { hasChain, localChainSettings } from './localChainSettings.ts';
import { findLocalChain, openLocalChain, type LocalChain } from './openLocalChain.ts';

export interface WithLocalChain {
  /** The settings, with those of the local chain where there is one. */
  configuration: Configuration;
  /** Null where a chain is configured, or none could be started. */
  chain: LocalChain | null;
}

/**
 * Starts the local chain beside a server and leads the gateway to it, where no chain is configured. What cannot be
 * started is said in one line, and the server goes on without: the other products need no chain.
 * @param read reads the settings, with these variables before those of the environment
 * @param print takes a line for people
 */
export async function withLocalChain(
  read: (overrides: Readonly<Record<string, string>>) => Configuration, products: readonly Product[], print: (line: string) => void,
): Promise<WithLocalChain> {
  const configuration = read({});
  if (!products.some(({ name }) => name === 'gateway')) return { configuration, chain: null };
  if (hasChain(configuration)) {
    print('A chain is configured, so no local one is started.');
    return { configuration, chain: null };
  }
  try {
    const chain = await openLocalChain(configuration);
    print(describeChain(chain));
    return { configuration: read(localChainSettings(chain.facts)), chain };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    print(`No local chain, so the gateway answers that none is configured; everything else works. ${why}`);
    return { configuration, chain: null };
  }
}

/**
 * The settings as a server of this folder has them that was started with a local chain: for commands that look at what it
 * does. A local chain that a process holds and that does not answer counts too: it is what such a server waits for. Where there
 * is none, or a chain is configured, the settings stay as they are.
 */
export async function withRunningChain(
  read: (overrides: Readonly<Record<string, string>>) => Configuration,
): Promise<Configuration> {
  const configuration = read({});
  if (hasChain(configuration)) return configuration;
  const facts = await findLocalChain(configuration);
  return facts === null ? configuration : read(localChainSettings(facts));
}

/** One line for people, without keys. */
export function describeChain({ facts, made, devnetFile }: LocalChain): string {
  const what = {
    new: 'A local chain was made',
    kept: 'The local chain goes on where it was',
    again: 'The local chain of before was lost, and a new one was made with the same keys',
    running: 'The local chain runs in another process already',
  }[made];
  return `${what}: ${facts.rpcUrl}, for trying out, not for value; addresses and keys are in ${devnetFile}.`;
}
