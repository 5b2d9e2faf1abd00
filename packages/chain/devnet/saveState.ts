import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { writePrivateFile } from '@vouch/platform/process/writePrivateFile';
import { readBytes } from '../rpc/readResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';

/** Longest state that is taken, unpacked; a chain of 100,000 transactions has about 200 MB. */
const stateBytesMax = 2 ** 30;

/**
 * Writes the whole chain (accounts, blocks, receipts) to a file that anvil loads, as one step: a crash at any moment
 * leaves the file as it was before or as it is after. anvil's own --state writes into the file itself, and one that is
 * killed while it does so leaves a chain that nothing can open.
 * @param rpc a client whose answers may be long
 * @throws RpcUnavailable, RpcRefused; the system's error where the file cannot be written
 */
export async function saveState(rpc: RpcClient, path: string): Promise<void> {
  const packed = await rpc.ask('anvil_dumpState', [], (value) => readBytes(value, undefined, stateBytesMax));
  const state = await promisify(gunzip)(Buffer.from(packed.slice(2), 'hex'), { maxOutputLength: stateBytesMax });
  await writePrivateFile(path, state);
}

/** Removes what processes left in a folder that were killed: half-written files of ours, temporary folders of anvil. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/\.unfinished$|^anvil-state-/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
