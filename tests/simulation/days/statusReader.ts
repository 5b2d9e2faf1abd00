import { viewChain } from '@vouch/verifier/status/chainView';
import type { RpcNetwork } from '../chain/rpcNetwork.ts';
import type { Member } from '../cluster.ts';
import { configurationOf, type SimulatedNode } from '../nodes/nodeProcess.ts';
import type { DaysMonitor } from './daysMonitor.ts';

const everyMs = 5_000;

/** Asks again and again for what `verifier status` shows of the chain. */
export async function readStatuses({ process }: Member, nodes: readonly SimulatedNode[], root: string, network: RpcNetwork, monitor: DaysMonitor): Promise<void> {
  for (let at = 0; ; at += 1) {
    const node = nodes[at % nodes.length]!;
    const view = await viewChain(configurationOf(node, root, network.urls), node.account.address, process.system, () => network.connect(process));
    if (typeof view !== 'string') monitor.checkStatus(node, view);
    await process.system.timers.sleep(everyMs);
  }
}
