import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { getBlock, getCode } from '../rpc/chainReads.ts';
import { createRpcClient } from '../rpc/createRpcClient.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';
import { readDevnetFile, writeDevnetFile, type DevnetFacts } from './devnetFile.ts';
import { endChain, keepRunning, type KeptChain, type RunningChain } from './keepRunning.ts';
import { nodeConfiguration, type NodeAttestation } from './nodeConfiguration.ts';
import { addOperators, setUpChain } from './setUpChain.ts';
import { removeUnfinished, saveState } from './saveState.ts';
import { AnvilStateFault, startAnvil, type Genesis } from './startAnvil.ts';

interface DevnetOptions {
  /** Data folder. It receives devnet.json and verifier.yaml; its subfolder `devnet` receives the chain state. */
  folder: string;
  /** Minimum number of operators with a license. */
  operators: number;
  /** URL of the gateway, for the node's configuration file. */
  gatewayUrl: string;
  /** Collateral and trust root for the node's configuration file. */
  attestation?: NodeAttestation;
  log: Logger;
  system: SystemInterfaces;
}

export interface Devnet {
  facts: DevnetFacts;
  /** `new`: first start; `kept`: loaded from its saved state; `again`: the earlier state was unusable, so a new chain reuses its keys. */
  made: 'new' | 'kept' | 'again';
  devnetFile: string;
  nodeFile: string;
  /** Resolves when the chain was stopped; rejects if the chain ended on its own and is not restarted. */
  ended: Promise<void>;
  /** Rewrites the node's configuration file with another gateway URL. */
  nameGateway(url: string): Promise<void>;
  /** Saves the chain and stops it. */
  stop(): Promise<void>;
}

/** File names in the data folder. */
export const devnetFileName = 'devnet.json';
export const nodeFileName = 'verifier.yaml';
const stateName = join('devnet', 'state.json');

/** The dump of a long chain is slow and large. */
const client = { timeoutMs: 120_000, answerBytesMax: 2 ** 30 };

/**
 * Starts the local chain of a data folder with the contracts deployed. The first start creates the chain; later starts load it, on
 * the same port if the port is free. If the chain's process ends unexpectedly, it is restarted from the saved state, up to five
 * times in a row. Only one process may use the folder's chain at a time.
 * @throws AnvilMissing; DevnetFileFault; Error if the chain cannot start
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { folder, log, system } = options;
  const files = { devnetFile: join(folder, devnetFileName), nodeFile: join(folder, nodeFileName) };
  const state = join(folder, stateName);
  await makeFolder(folder, 0o700);
  await makeFolder(join(folder, 'devnet'), 0o700);
  for (const each of [folder, join(folder, 'devnet')]) await removeUnfinished(each);
  const known = await readDevnetFile(files.devnetFile);
  const opened = await open(known, state, options);
  const { anvil, rpc, made } = opened;
  let kept: KeptChain | null = null;
  try {
    const setUp = opened.facts
      ?? { ...await setUpChain(rpc, { known, operators: options.operators, random: system.random }), genesis: await firstBlock(rpc) };
    const facts = await addOperators(rpc, { ...setUp, rpcUrl: anvil.url }, options.operators, system.random);
    // The chain is saved before devnet.json: a crash between the two writes loses only the new chain.
    await saveState(rpc, state);
    await writeDevnetFile(files.devnetFile, facts);
    const nameGateway = (url: string): Promise<void> => writeFileAtomically(files.nodeFile, nodeConfiguration(facts, url, options.attestation));
    await nameGateway(options.gatewayUrl);
    kept = keepRunning({ chain: opened, path: state, startAgain: () => startAgain(facts, state, options), log, system });
    log.info({ rpc_url: facts.rpcUrl, chain_id: Number(facts.chainId), service: facts.contracts.service, made }, 'a local chain is running, for development only');
    return { facts, made, ...files, ...kept, nameGateway };
  } catch (error) {
    await (kept === null ? endChain(opened) : kept.stop());
    throw error;
  }
}

interface Opened extends RunningChain {
  made: Devnet['made'];
  /** Facts about the loaded chain; null for a new chain. */
  facts: DevnetFacts | null;
}

async function open(known: DevnetFacts | null, state: string, options: DevnetOptions): Promise<Opened> {
  const kept = await stat(state).then(() => true, () => false);
  if (known === null || !kept) {
    if (known !== null) sayLost(options, 'its state is missing');
    return { ...await startChain(known, null, options), made: known === null ? 'new' : 'again', facts: null };
  }
  const opened = await openKept(known, state, options);
  if (typeof opened !== 'string') return opened;
  await rename(state, `${state}.unusable`);
  sayLost(options, `${opened} The old state is kept as ${state}.unusable`);
  return { ...await startChain(known, null, options), made: 'again', facts: null };
}

/** Loads the saved chain. @returns a sentence if the state is unusable @throws other errors of the start, which do not concern the state */
async function openKept(known: DevnetFacts, state: string, options: DevnetOptions, port: Port = 'preferred'): Promise<Opened | string> {
  const chain = await startChain(known, state, options, port).catch((error: unknown) => {
    if (error instanceof AnvilStateFault) return error.message;
    throw error;
  });
  if (typeof chain === 'string') return chain;
  try {
    const fault = await misses(chain.rpc, known);
    if (fault === null) return { ...chain, made: 'kept', facts: known };
    await endChain(chain);
    return fault;
  } catch (error) {
    await endChain(chain);
    throw error;
  }
}

/** Starts the chain from its saved state on the same port, so that the RPC URL of gateway and nodes stays valid. */
async function startAgain(facts: DevnetFacts, state: string, options: DevnetOptions): Promise<RunningChain> {
  await removeUnfinished(join(options.folder, 'devnet'));
  const opened = await openKept(facts, state, options, 'only');
  if (typeof opened === 'string') throw new Error(opened);
  return opened;
}

function sayLost({ log, folder }: DevnetOptions, why: string): void {
  log.warn({ folder }, `the previous local chain cannot be used (${why}); creating a new, empty chain with the same keys`);
}

/** `preferred`: uses another port if the previous port is in use; `only`: fails in this case. */
type Port = 'preferred' | 'only';

async function startChain(
  known: DevnetFacts | null, loadState: string | null, { folder, system }: DevnetOptions, port: Port = 'preferred',
): Promise<RunningChain> {
  const first = loadState === null || known === null ? { genesis: makeGenesis(system) } : { genesis: known.genesis, loadState };
  const options = { automine: false, folder: join(folder, 'devnet'), ...first };
  const anvil = await startAnvil({ ...options, port: portOf(known) }, system.timers).catch((error: unknown) => {
    // Retries on a free port only if another program uses the previous port.
    if (port === 'only' || known === null || !(error instanceof Error) || !/in use/i.test(error.message)) throw error;
    return startAnvil(options, system.timers);
  });
  const rpc = createRpcClient({ urls: [anvil.url], ...client }, system);
  try {
    await setClock(rpc, system);
    return { anvil, rpc };
  } catch (error) {
    await endChain({ anvil, rpc });
    throw error;
  }
}

/**
 * Returns the time and base fee of a new genesis block. The random part of the base fee gives every chain another genesis hash, even
 * with the same keys and within the same second: the gateway distinguishes chains by this hash.
 */
function makeGenesis({ clock, random }: SystemInterfaces): Genesis {
  return { timestamp: Math.floor(clock.now() / 1_000), baseFee: 1_000_000_000n + BigInt(random.bytes(3).readUIntBE(0, 3)) };
}

async function firstBlock(rpc: RpcClient): Promise<DevnetFacts['genesis']> {
  const block = await getBlock(rpc, 0);
  if (block === null || block.baseFee === null) throw new Error('The local chain has no first block.');
  return { hash: block.hash, timestamp: block.timestamp, baseFee: block.baseFee };
}

/** Returns the previous port, so that existing RPC URLs stay valid. */
function portOf(known: DevnetFacts | null): number {
  return known === null ? 0 : Number(new URL(known.rpcUrl).port);
}

/**
 * Sets anvil's clock, which starts at the genesis time, to the current time. If a test advanced the chain's clock, the clock stays
 * ahead, because a block must not be older than its parent.
 */
async function setClock(rpc: RpcClient, { clock }: SystemInterfaces): Promise<void> {
  const head = await getBlock(rpc, 'latest');
  await rpc.request('evm_setTime', [Math.max(Math.floor(clock.now() / 1_000), head?.timestamp ?? 0)]);
}

/** Compares the chain with devnet.json. @returns the first difference as a sentence, or null */
async function misses(rpc: RpcClient, { contracts, genesis }: DevnetFacts): Promise<string | null> {
  const first = await getBlock(rpc, 0);
  if (first?.hash !== genesis.hash) return 'The chain differs from the one in devnet.json.';
  for (const [name, address] of Object.entries(contracts)) {
    if ((await getCode(rpc, address)) === '0x') return `The chain has no contract ${name} at ${address}.`;
  }
  return null;
}
