import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { writeFileAtomically } from '@vouch/platform/process/writeFileAtomically';
import { parseBytes } from '../rpc/parseResult.ts';
import type { RpcClient } from '../rpc/rpcClient.ts';

/** Maximum size of an unpacked state in bytes. A chain with 100,000 transactions has about 200 MB. */
const stateBytesMax = 2 ** 30;

/**
 * Saves the whole chain (accounts, blocks, receipts) to a file that anvil can load. The file is replaced atomically, so a crash
 * leaves either the old or the new state. anvil's own --state option overwrites the file in place; if anvil is killed during the
 * write, the chain cannot be loaded again.
 * @param rpc a client with a high limit for the size of answers
 * @throws RpcUnavailable, RpcRefused; the system's error if the file cannot be written
 */
export async function saveState(rpc: RpcClient, path: string): Promise<void> {
  const packed = await rpc.ask('anvil_dumpState', [], (value) => parseBytes(value, undefined, stateBytesMax));
  const state = await promisify(gunzip)(Buffer.from(packed.slice(2), 'hex'), { maxOutputLength: stateBytesMax });
  await writeFileAtomically(path, state);
}

/** Removes files that killed processes left in a folder: partially written files and anvil's temporary folders. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (/\.unfinished$|^anvil-state-/.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
