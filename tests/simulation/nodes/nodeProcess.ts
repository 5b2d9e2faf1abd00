import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Domain, Hex } from '@vouch/chain/messages/operation';
import { intelTrustRoot } from '@vouch/verifier/attestation/certificates/trustRoot';
import { tcbPolicies } from '@vouch/verifier/attestation/policy/policy';
import { eventTopics, type NodeConfiguration } from '@vouch/verifier/config/nodeConfiguration';
import { runNode, type RunningNode } from '@vouch/verifier/node/startNode';
import type { RpcNetwork } from '../chain/rpcNetwork.ts';
import { chainId } from '../chain/simulatedEndpoint.ts';
import type { Member } from '../cluster.ts';
import type { Account } from '../gateway/messages.ts';
import { tellLog } from '../kernel/tellLog.ts';
import type { GatewayModel } from './gatewayModel.ts';

export const service: Hex = `0x${'5c'.repeat(20)}`;
export const domain: Domain = { name: 'ProtocolService', version: '1.0.0', chainId: BigInt(chainId) };
const gatewayHost = 'gateway.example';

/** A node of a simulation. */
export interface SimulatedNode {
  name: string;
  account: Account;
  /** Whether the node sends its transactions itself. */
  pays: boolean;
  claimer: Hex;
  commissionRate: number;
  maxReportDelaySeconds: number;
}

/** Folder of a node's state. */
export function folderOf(root: string, { name }: SimulatedNode): string {
  return join(root, name);
}

/** Folder of collateral, which is empty: no attestation has a quote. */
export function collateralOf(root: string): string {
  return join(root, 'collateral');
}

/** Runs a node in a simulated process. The lock of the folder belongs to an operating-system process, so the simulation, which kills no such process, does without it. */
export function startSimulatedNode({ process }: Member, node: SimulatedNode, root: string, network: RpcNetwork, gateway: GatewayModel): RunningNode {
  const folder = folderOf(root, node);
  mkdirSync(folder, { recursive: true });
  const toChain = network.connect(process);
  const toGateway = gateway.connect(process);
  return runNode({
    configuration: configurationOf(node, root, network.urls), privateKey: node.account.key, node: node.account.address, system: process.system, log: tellLog(process),
    connect: () => ({ send: (url, request) => (url.host === gatewayHost ? toGateway : toChain).send(url, request), close: () => {} }),
  }, folder, async () => {});
}

/** The configuration of a node. */
export function configurationOf({ pays, claimer, commissionRate, maxReportDelaySeconds }: SimulatedNode, root: string, rpcUrls: readonly string[]): NodeConfiguration {
  return {
    chain: { chainId, chainName: 'simulation', rpcUrls, startBlock: 0, offsetBlock: 100, maxBlockPerQuery: 500, queryIntervalSeconds: 5, maxReportDelaySeconds },
    contract: { service, teeEmitter: service, ...eventTopics },
    rewardClaimer: claimer, commissionRate, domain, expirySeconds: 3_600,
    sending: pays ? { through: 'itself' } : { through: 'gateway', url: `http://${gatewayHost}`, version: null },
    attestation: { collateralPath: collateralOf(root), fetching: { url: null, automatic: false }, policy: { allowList: null, acceptedStatuses: tcbPolicies.standard }, trustRoot: intelTrustRoot },
    alertUrl: null, node: { dataPath: root, formerDataPath: null, reenter: true, healthListen: null }, log: { format: 'json', level: 'warn', path: null },
  };
}
