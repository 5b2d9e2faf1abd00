import type { Product } from '@vouch/platform/product/product';
import type { Configuration } from '../wiring/configuration.ts';
import { hasChain, localChainSettings } from './localChainSettings.ts';
import { findLocalChain, openLocalChain, type LocalChain } from './openLocalChain.ts';

export interface ChainOutput {
  print(line: string): void;
  showUrl?: boolean;
}

export interface WithLocalChain {
  /** The settings, including the settings of the local chain if there is one. */
  configuration: Configuration;
  /** Null if a chain is configured or no local chain could be started. */
  chain: LocalChain | null;
}

/**
 * If no chain is configured, starts the local chain beside a server and connects the gateway to the local chain. If the local
 * chain cannot start, prints one line with the reason; the server then runs without a chain, because the other products need
 * none.
 * @param read reads the settings; the given variables take precedence over the environment
 * @param output `print` receives a line for people; `showUrl` decides whether this line names the RPC URL
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
 * Returns the settings that a server of this data folder has after a start with a local chain, for commands that inspect the
 * server. A local chain whose process runs but does not answer counts too, because the server waits for this chain. Without a
 * local chain, or with a configured chain, returns the settings unchanged.
 */
export async function withRunningChain(
  read: (overrides: Readonly<Record<string, string>>) => Configuration,
): Promise<Configuration> {
  const configuration = read({});
  if (hasChain(configuration)) return configuration;
  const facts = await findLocalChain(configuration);
  return facts === null ? configuration : read(localChainSettings(facts));
}

/** Describes the chain in one line for people. The line contains no keys. */
export function describeChain({ facts, made, devnetFile }: LocalChain, showUrl = true): string {
  const what = {
    new: 'Started a new local chain',
    kept: 'Started the local chain with its earlier blocks',
    again: 'The earlier local chain was lost; started a new one with the same keys',
    running: 'The local chain already runs in another process',
  }[made];
  return `${what}${showUrl ? ` at ${facts.rpcUrl}` : ''}. Its coins have no value. Ethereum addresses and keys: ${devnetFile}`;
}
