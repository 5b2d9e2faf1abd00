import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Domain, Hex } from '@vouch/chain/messages/operation';
import type { Connections } from '@vouch/platform/outbound/openConnections';
import { intelTrustRoot, type TrustRoot } from '@vouch/verifier/attestation/certificates/trustRoot';
import { tcbPolicies } from '@vouch/verifier/attestation/policy/policy';
import { eventTopics, type NodeConfiguration } from '@vouch/verifier/config/nodeConfiguration';
import { runNode, type RunningNode } from '@vouch/verifier/node/startNode';
import type { RpcNetwork } from '../chain/rpcNetwork.ts';
import { chainId } from '../chain/simulatedEndpoint.ts';
import type { Member } from '../cluster.ts';
import type { Account } from '../gateway/messages.ts';
import { tellLog } from '../kernel/tellLog.ts';
import { collateralHost, type CollateralModel } from './collateralModel.ts';
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
  /** Whether the node fetches collateral; otherwise its operator puts it into the folder. */
  fetches: boolean;
  claimer: Hex;
  commissionRate: number;
  maxReportDelaySeconds: number;
}

/** Folder of a node's state. */
export function folderOf(root: string, { name }: SimulatedNode): string {
  return join(root, name);
}

/** Folder of a node's collateral. */
export function collateralOf(root: string, { name }: SimulatedNode): string {
  return join(root, `${name}-collateral`);
}

/** Where nodes get collateral from, and the root that they trust. */
export interface CollateralSource {
  model: CollateralModel;
  trustRoot: TrustRoot;
}

/** Runs a node in a simulated process. The lock of the folder belongs to an operating-system process, so the simulation, which kills no such process, does without it. */
export function startSimulatedNode({ process }: Member, node: SimulatedNode, root: string, network: RpcNetwork, gateway: GatewayModel, collateral: CollateralSource | null): RunningNode {
  const folder = folderOf(root, node);
  mkdirSync(folder, { recursive: true });
  mkdirSync(collateralOf(root, node), { recursive: true });
  const toChain = network.connect(process);
  const others: Readonly<Record<string, Connections | undefined>> = { [gatewayHost]: gateway.connect(process), [collateralHost]: collateral?.model.connect(process) };
  return runNode({
    configuration: configurationOf(node, root, network.urls, collateral), privateKey: node.account.key, node: node.account.address, system: process.system, log: tellLog(process),
    connect: () => ({ send: (url, request) => (others[url.host] ?? toChain).send(url, request), close: () => {} }),
  }, folder, async () => {});
}

/** The configuration of a node. @param collateral null if no attestation has a quote */
export function configurationOf(node: SimulatedNode, root: string, rpcUrls: readonly string[], collateral: CollateralSource | null = null): NodeConfiguration {
  const { pays, claimer, commissionRate, maxReportDelaySeconds } = node;
  const fetching = collateral === null || !node.fetches ? { url: null, automatic: false } : { url: `http://${collateralHost}`, automatic: true };
  return {
    chain: { chainId, chainName: 'simulation', rpcUrls, startBlock: 0, offsetBlock: 100, maxBlockPerQuery: 500, queryIntervalSeconds: 5, maxReportDelaySeconds },
    contract: { service, teeEmitter: service, ...eventTopics },
    rewardClaimer: claimer, commissionRate, domain, expirySeconds: 3_600,
    sending: pays ? { through: 'itself' } : { through: 'gateway', url: `http://${gatewayHost}`, version: null },
    attestation: { collateralPath: collateralOf(root, node), fetching, policy: { allowList: null, acceptedStatuses: tcbPolicies.standard }, trustRoot: collateral?.trustRoot ?? intelTrustRoot },
    alertUrl: null, node: { dataPath: root, formerDataPath: null, reenter: true, healthListen: null }, log: { format: 'json', level: 'warn', path: null },
  };
}
