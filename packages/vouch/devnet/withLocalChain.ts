import type { Product } from '@vouch/platform/product/product';
import type { Configuration } from '../wiring/configuration.ts';
import { hasChain, localChainSettings } from './localChainSettings.ts';
import { findLocalChain, openLocalChain, type LocalChain } from './openLocalChain.ts';

export interface ChainOutput {
  print(line: string): void;
  showUrl?: boolean;
}

export interface WithLocalChain {
  /** The settings, with those of the local chain where there is one. */
  configuration: Configuration;
  /** Null where a chain is configured, or none could be started. */
  chain: LocalChain | null;
}

/**
 * Starts the local chain beside a server and points the gateway to it, where no chain is configured. Where the chain cannot start,
 * prints one line with the reason; the server runs without a chain, because the other products need none.
 * @param read reads the settings; the given variables win over the environment
 * @param output `print` takes a line for people; `showUrl` is whether the line names the RPC URL
 */
export async function withLocalChain(
  read: (overrides: Readonly<Record<string, string>>) => Configuration, products: readonly Product[], { print, showUrl = true }: ChainOutput,
): Promise<WithLocalChain> {
  const configuration = read({});
  if (!products.some(({ name }) => name === 'gateway')) return { configuration, chain: null };
  if (hasChain(configuration)) {
    print('A chain is configured, so Vouch starts no local chain.');
    return { configuration, chain: null };
  }
  try {
    const chain = await openLocalChain(configuration);
    print(describeChain(chain, showUrl));
    return { configuration: read(localChainSettings(chain.facts)), chain };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    print(`The local chain did not start: the gateway answers that no chain is configured; everything else works. ${why}`);
    return { configuration, chain: null };
  }
}

/**
 * The settings that a server of this data folder has after a start with a local chain, for commands that inspect the server. A local
 * chain that a process holds but that does not answer counts too, because the server waits for it. Without a local chain, or with
 * a configured chain, returns the settings unchanged.
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
export function describeChain({ facts, made, devnetFile }: LocalChain, showUrl = true): string {
  const what = {
    new: 'Started a new local chain',
    kept: 'Started the local chain with its earlier blocks',
    again: 'The earlier local chain was lost; started a new one with the same keys',
    running: 'The local chain already runs in another process',
  }[made];
  return `${what}${showUrl ? ` at ${facts.rpcUrl}` : ''}. Its coins have no value. Ethereum addresses and keys: ${devnetFile}`;
}
