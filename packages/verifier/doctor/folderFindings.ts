import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { isOtherChain, fetchFirstBlock, unknownFirstBlock } from '../scanning/firstBlock.ts';
import { nodeProcess } from '../state/lockFolder.ts';
import type { NodeState } from '../state/nodeState.ts';
import { StateFault } from '../state/parseNodeState.ts';
import { readNodeState } from '../state/readNodeState.ts';
import { maxSilentMs } from '../status/summarize.ts';
import { found, ok, type NodeFinding } from './findings.ts';

/** Bytes of free disk space that a node needs; its data stays below this limit permanently. */
export const diskBytesNeeded = 100e6;

/** Checks that state can be stored: enough free space, and write permission. */
export async function examineDisk(folder: string, bytesNeeded: number): Promise<NodeFinding[]> {
  const existing = await firstExisting(resolve(folder));
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const refused = await whyNotWritable(existing);
  if (refused !== null) {
    return [found('disk', 'state-unwritable', `${existing} cannot be written: ${refused}`, 'Give the user of the node write access to the folder, or run the node in another folder.')];
  }
  const detail = `${(free / 1e6).toFixed(0)} MB free in ${existing}`;
  return [free < bytesNeeded ? found('disk', 'disk-low', detail, `Free space: a node needs up to ${bytesNeeded / 1e6} MB.`) : ok('disk', detail)];
}

async function firstExisting(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    const there = await access(at).then(() => true, () => false);
    if (there || at === dirname(at)) return at;
  }
}

/** Tests writing by creating and removing a file, because permissions do not reveal a read-only mount. @returns null if writing works */
async function whyNotWritable(folder: string): Promise<string | null> {
  if (!(await stat(folder)).isDirectory()) return 'the path is a file, not a folder';
  const allowed = await access(folder, constants.W_OK).then(() => true, () => false);
  if (!allowed) return 'this user has no permission';
  const path = join(folder, `.doctor-${process.pid}`);
  try {
    await writeFile(path, '', { flag: 'wx' });
    await rm(path);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown failure';
  }
}

/**
 * Checks the stored state in the folder, and whether the node is still saving it.
 * @param rpc null if the chain cannot be reached
 * @param now milliseconds since 1970
 */
export async function examineState(folder: string, rpc: RpcClient | null, now: number): Promise<NodeFinding[]> {
  try {
    const state = await readNodeState(folder);
    return state === null ? [await judgeMissing(folder)] : await judgeState(state, folder, rpc, now);
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    return [found('state', 'state-damaged', error.message, 'Move the file away: the node then rebuilds its state from the chain and does not report twice.')];
  }
}

async function judgeMissing(folder: string): Promise<NodeFinding> {
  const running = await nodeProcess(folder);
  if (running === null) return ok('state', `${folder} has no state yet: no node has run with this folder`);
  return found('state', 'node-hangs', `the node (process ${running}) has not saved its state in ${folder} since its start`,
    'A node saves its state as soon as the chain answers: follow the findings about disk and RPC, then see the log of the node.');
}

async function judgeState(state: NodeState, folder: string, rpc: RpcClient | null, now: number): Promise<NodeFinding[]> {
  const genesis = rpc === null ? unknownFirstBlock : await fetchFirstBlock(rpc);
  if (isOtherChain(state.genesis, genesis)) {
    return [found('state', 'state-foreign', `${folder} belongs to a chain with the first block ${state.genesis}, but the first block of the RPC endpoint is ${genesis}`,
      'Correct chain.rpc_url. If the chain was reset with the same id, move the folder away.')];
  }
  const running = await nodeProcess(folder);
  if (running === null) {
    return [found('state', 'not-running', `no node is running in ${folder}; the last state was saved at ${new Date(state.savedAt).toISOString()}`,
      'Start verifier; while it is stopped, the node misses reports. Run this command in the same container as the node.')];
  }
  const silentMs = now - state.savedAt;
  if (silentMs > maxSilentMs) {
    return [found('state', 'node-hangs', `the node (process ${running}) has not saved its state for ${describeSeconds(Math.round(silentMs / 1_000))}`, 'Restart the node. If the node hangs again, see its log.')];
  }
  if (state.standby !== null) {
    return [found('state', 'second-copy', `since ${new Date(state.standby.since).toISOString()} this node stands by: ${state.standby.because}`,
      'Stop one of the two programs, or give each its own key. Running both does no harm.')];
  }
  const block = state.checkpoints.at(-1)?.block ?? 0;
  const stuck = state.alarms.filter(({ code }) => code === 'randomness-late').map(({ sentence }) => found('state', 'randomness-late', sentence,
    'Wait for the randomness source, or ask the operator of the contracts or the gateway. The node misses no reports while no nodes are chosen.'));
  return [...stuck, ok('state', `${folder} is valid: processed up to block ${block}, saved at ${new Date(state.savedAt).toISOString()}`)];
}
