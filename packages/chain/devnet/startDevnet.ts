import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@vouch/platform/log/logger';
import type { SystemInterfaces } from '@vouch/platform/process/doors';
import { makeFolder } from '@vouch/platform/process/makeFolder';
import { writePrivateFile } from '@vouch/platform/process/writePrivateFile';
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
  /** The data folder. devnet.json and verifier.yaml go there, the chain itself into its subfolder devnet. */
  folder: string;
  /** At least so many operators hold a license. */
  operators: number;
  /** Where the gateway listens, for the node's configuration file. */
  gatewayUrl: string;
  /** For the node's configuration file. */
  attestation?: NodeAttestation;
  log: Logger;
  doors: SystemInterfaces;
}

export interface Devnet {
  facts: DevnetFacts;
  /** `again`: an earlier chain was lost, and this one is a new one with the same keys. */
  made: 'new' | 'kept' | 'again';
  devnetFile: string;
  nodeFile: string;
  /** Settles when the chain has ended; rejects where nobody stopped it and it is not started again. */
  ended: Promise<void>;
  /** Writes the node's configuration file anew, for a gateway that listens elsewhere. */
  nameGateway(url: string): Promise<void>;
  /** Saves the chain and stops it. */
  stop(): Promise<void>;
}

/** Names in the data folder. */
export const devnetFileName = 'devnet.json';
export const nodeFileName = 'verifier.yaml';
const stateName = join('devnet', 'state.json');

/** A dump of a long chain takes a while, and is long. */
const client = { timeoutMs: 120_000, answerBytesMax: 2 ** 30 };

/**
 * Starts the local chain of a data folder, with the contracts on it. The first start makes it; later ones find it as it
 * was, at the same address where that is free. Where the chain's process ends by itself, it is started again with what was
 * saved, a few times in a row. No other process may use the folder's chain meanwhile.
 * @throws AnvilMissing; DevnetFileFault; Error where the chain does not start
 */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { folder, log, doors } = options;
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
      ?? { ...await setUpChain(rpc, { known, operators: options.operators, random: doors.random }), genesis: await firstBlock(rpc) };
    const facts = await addOperators(rpc, { ...setUp, rpcUrl: anvil.url }, options.operators, doors.random);
    // First the chain, then the file that names what is on it: between the two a crash loses the new chain alone.
    await saveState(rpc, state);
    await writeDevnetFile(files.devnetFile, facts);
    const nameGateway = (url: string): Promise<void> => writePrivateFile(files.nodeFile, nodeConfiguration(facts, url, options.attestation));
    await nameGateway(options.gatewayUrl);
    kept = keepRunning({ chain: opened, path: state, startAgain: () => startAgain(facts, state, options), log, doors });
    log.info({ rpc_url: facts.rpcUrl, chain_id: Number(facts.chainId), service: facts.contracts.service, made }, 'a local chain runs: for trying out, not for value');
    return { facts, made, ...files, ...kept, nameGateway };
  } catch (error) {
    await (kept === null ? endChain(opened) : kept.stop());
    throw error;
  }
}

interface Opened extends RunningChain {
  made: Devnet['made'];
  /** What is on the chain; null where it is new. */
  facts: DevnetFacts | null;
}

async function open(known: DevnetFacts | null, state: string, options: DevnetOptions): Promise<Opened> {
  const kept = await stat(state).then(() => true, () => false);
  if (known === null || !kept) {
    if (known !== null) sayLost(options, 'its state is gone');
    return { ...await startChain(known, null, options), made: known === null ? 'new' : 'again', facts: null };
  }
  const opened = await openKept(known, state, options);
  if (typeof opened !== 'string') return opened;
  await rename(state, `${state}.unusable`);
  sayLost(options, `${opened} The old state is kept as ${state}.unusable`);
  return { ...await startChain(known, null, options), made: 'again', facts: null };
}

/** The chain of before, or why its state is no use. Where anvil itself does not start, the state is not to blame. */
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

/** Starts the chain from its saved state, at the RPC address that gateway and nodes were given. */
async function startAgain(facts: DevnetFacts, state: string, options: DevnetOptions): Promise<RunningChain> {
  await removeUnfinished(join(options.folder, 'devnet'));
  const opened = await openKept(facts, state, options, 'only');
  if (typeof opened === 'string') throw new Error(opened);
  return opened;
}

function sayLost({ log, folder }: DevnetOptions, why: string): void {
  log.warn({ folder }, `the local chain of before cannot be used (${why}): a new one is made with the same keys, on which nothing has happened`);
}

/** Whether another port will do where the one of before is taken. */
type Port = 'preferred' | 'only';

async function startChain(
  known: DevnetFacts | null, loadState: string | null, { folder, doors }: DevnetOptions, port: Port = 'preferred',
): Promise<RunningChain> {
  const first = loadState === null || known === null ? { genesis: makeGenesis(doors) } : { genesis: known.genesis, loadState };
  const options = { automine: false, folder: join(folder, 'devnet'), ...first };
  const anvil = await startAnvil({ ...options, port: portOf(known) }, doors.timers).catch((error: unknown) => {
    // Only a port that another program took since is worth another try.
    if (port === 'only' || known === null || !(error instanceof Error) || !/in use/i.test(error.message)) throw error;
    return startAnvil(options, doors.timers);
  });
  const rpc = createRpcClient({ urls: [anvil.url], ...client }, doors);
  try {
    await setClock(rpc, doors);
    return { anvil, rpc };
  } catch (error) {
    await endChain({ anvil, rpc });
    throw error;
  }
}

/**
 * The first block holds nothing but its time and this fee. A chain that is made again in the same second, with the same
 * keys and so the same addresses, must have another hash there: by it the gateway tells the two apart.
 */
function makeGenesis({ clock, random }: SystemInterfaces): Genesis {
  return { timestamp: Math.floor(clock.now() / 1_000), baseFee: 1_000_000_000n + BigInt(random.bytes(3).readUIntBE(0, 3)) };
}

async function firstBlock(rpc: RpcClient): Promise<DevnetFacts['genesis']> {
  const block = await getBlock(rpc, 0);
  if (block === null || block.baseFee === null) throw new Error('The local chain has no first block.');
  return { hash: block.hash, timestamp: block.timestamp, baseFee: block.baseFee };
}

/** The port of before, so that whoever has the address finds the chain again. */
function portOf(known: DevnetFacts | null): number {
  return known === null ? 0 : Number(new URL(known.rpcUrl).port);
}

/**
 * anvil's clock starts at the first block's time; it is to be ours. Where someone moved it ahead it stays ahead: a block
 * must not be older than the one before.
 */
async function setClock(rpc: RpcClient, { clock }: SystemInterfaces): Promise<void> {
  const head = await getBlock(rpc, 'latest');
  await rpc.request('evm_setTime', [Math.max(Math.floor(clock.now() / 1_000), head?.timestamp ?? 0)]);
}

/** What the chain lacks of what devnet.json says of it; null where nothing. */
async function misses(rpc: RpcClient, { contracts, genesis }: DevnetFacts): Promise<string | null> {
  const first = await getBlock(rpc, 0);
  if (first?.hash !== genesis.hash) return 'It is another chain than the one in devnet.json.';
  for (const [name, address] of Object.entries(contracts)) {
    if ((await getCode(rpc, address)) === '0x') return `It has no contract ${name} at ${address}.`;
  }
  return null;
}
