import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getBlock } from '@vouch/chain/rpc/chainReads';
import { lockFolder } from '@vouch/verifier/state/lockFolder';
import { lockFile, type NodeState } from '@vouch/verifier/state/nodeState';
import { writeNodeState } from '@vouch/verifier/state/writeNodeState';
import type { Clinic } from './clinic.ts';

/**
 * Writes the state of a node that has run for a while into the node's folder.
 * @param node whether the node runs; a killed node leaves its process id in the lock file
 * @returns a function that ends the node
 */
export async function keptState(clinic: Clinic, change: Partial<NodeState>, node: 'runs' | 'stopped' | 'killed'): Promise<() => Promise<void>> {
  const { chain } = clinic.gateway;
  const [genesis, head] = await Promise.all([getBlock(chain.rpc, 0), getBlock(chain.rpc, 'latest')]);
  if (genesis === null || head === null) throw new Error('the chain has no blocks');
  const at = head.timestamp * 1_000;
  await writeNodeState(clinic.stateFolder(), {
    version: 1, chainId: Number(chain.chainId), chainName: 'clinic', service: chain.contracts.service, node: clinic.node.address, genesis: genesis.hash,
    checkpoints: [{ block: head.number, hash: head.hash }], startedAt: at, savedAt: at, chainSeenAt: at, attestations: [],
    membership: { id: 1, active: true, readAt: at, activeSince: at, weight: 1, claimer: null, commissionRate: 0, missed: 0 },
    day: null, countedDay: null, online: [], lastChosenAt: null, lastReportedAt: null, counts: { announced: 0, chosen: 0, reported: 0, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
    ...change,
  });
  if (node === 'runs') return lockFolder(clinic.stateFolder());
  if (node === 'killed') await writeFile(join(clinic.stateFolder(), lockFile), `${process.pid}\n`);
  return async () => {};
}
