import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Hex } from '@vouch/chain/messages/operation';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { lockFile, stateFile, stateFolder } from './nodeState.ts';

/** The folder of a node's state. */
interface NodeFolder {
  folder: string;
  /** A second folder with a state of the same node, below the working folder; null without one. */
  other: string | null;
  /** What the operator should do about the two folders; null if nothing. */
  note: string | null;
}

/**
 * Chooses the folder of a node. A state that an earlier release stored below the working folder stays in use as long as there is
 * no state at the configured place: an update must not lose a checkpoint or lock.
 */
export function nodeFolder({ chain, contract, node: { dataPath, formerDataPath } }: Pick<NodeConfiguration, 'chain' | 'contract' | 'node'>, node: Hex): NodeFolder {
  const at = (path: string): string => stateFolder(path, chain.chainId, contract.service, node);
  const folder = at(dataPath);
  if (formerDataPath === null || !isUsed(at(formerDataPath))) return { folder, other: null, note: null };
  const former = at(formerDataPath);
  if (!isUsed(folder)) {
    return { folder: former, other: null, note: `The state of this node is in ${resolve(former)}, relative to the working folder, which is deprecated. Paths in the configuration file are relative to the folder of the file: stop the node and move the state to ${resolve(folder)}, so that the node finds it from every working folder.` };
  }
  return { folder, other: former, note: `The node uses its state in ${resolve(folder)}. The older state in ${resolve(former)}, relative to the working folder, is not used: remove it.` };
}

function isUsed(folder: string): boolean {
  return [stateFile, lockFile].some((name) => existsSync(join(folder, name)));
}
