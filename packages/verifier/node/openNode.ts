import { domainHash } from '@vouch/chain/messages/digest';
import { fetchView, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { getBlock, getCode, type Block } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused, RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { Logger } from '@vouch/platform/log/logger';
import type { Clock } from '@vouch/platform/process/systemInterfaces';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodeConfiguration } from '../config/nodeConfiguration.ts';
import { isOtherChain, fetchFirstBlock, unknownFirstBlock } from '../scanning/firstBlock.ts';
import { stateFile, type NodeState } from '../state/nodeState.ts';
import { StateFault } from '../state/parseNodeState.ts';
import { readNodeState } from '../state/readNodeState.ts';

/** The node cannot work as configured; a restart would fail in the same way. The message is a sentence. */
export class NodeFault extends Error {
  override readonly name = 'NodeFault';
}

/** Facts read from the chain at the start. */
export interface ChainStart {
  head: Block;
  genesis: Hex;
}

/**
 * Reads what the node needs from the chain and compares the chain with the configuration.
 * @param rpc a client that requires the configured chain
 * @throws NodeFault when they differ; RpcUnavailable or RpcRefused when the chain cannot be read
 */
export async function fetchChainStart(rpc: RpcClient, { chain, contract, domain }: NodeConfiguration, signal: AbortSignal): Promise<ChainStart> {
  const head = await fetchHead(rpc, chain.chainId, signal);
  const code = await getCode(rpc, contract.service, signal);
  if (code === '0x') throw new NodeFault(`There is no contract at contract.addr ${contract.service} on chain ${chain.chainId}: check contract.addr and chain.rpc_url.`);
  await compareDomain(rpc, contract.service, domain, signal);
  return { head, genesis: await fetchFirstBlock(rpc, signal) };
}

/** @throws NodeFault when every endpoint serves another chain; while one fails in another way, it may be the right one */
async function fetchHead(rpc: RpcClient, chainId: number, signal: AbortSignal): Promise<Block> {
  try {
    const head = await getBlock(rpc, 'latest', signal);
    if (head === null) throw new Error('the RPC endpoint has no newest block');
    return head;
  } catch (error) {
    if (!(error instanceof RpcUnavailable) || !error.faults.every(({ kind }) => kind === 'other-chain')) throw error;
    const served = [...new Set(rpc.endpoints().map(({ otherChain }) => otherChain))];
    throw new NodeFault(`chain.rpc_url serves chain ${served.join(' and ')}, but chain.chain_id is ${chainId}: correct one of the two.`);
  }
}

/** Compares the EIP-712 domain: contracts and gateways refuse signatures for another domain. */
async function compareDomain(rpc: RpcClient, service: Hex, domain: NodeConfiguration['domain'], signal: AbortSignal): Promise<void> {
  const ours = `0x${Buffer.from(domainHash(domain)).toString('hex')}`;
  try {
    const theirs = await fetchView(rpc, serviceViews.domainHash(service), signal);
    if (theirs === ours) return;
    throw new NodeFault(`The signing domain of the contract is not ${domain.name} ${domain.version} on chain ${domain.chainId}: check signature.domain_name and signature.domain_version.`);
  } catch (error) {
    // When a contract does not publish its domain, a wrong domain shows in the gateway's refusals.
    if (!(error instanceof RpcRefused)) throw error;
  }
}

/** Loads the stored state when it belongs to this chain, else creates the state of a new node from the configuration. */
export async function openState(
  folder: string, { configuration: { chain, contract }, node, rpc, log, clock }: { configuration: NodeConfiguration; node: Hex; rpc: RpcClient; log: Logger; clock: Clock },
  { head, genesis }: ChainStart, signal: AbortSignal,
): Promise<NodeState> {
  const kept = await readKept(folder, log);
  if (kept !== null && !isOtherChain(kept.genesis, genesis)) {
    return {
      ...kept, genesis: kept.genesis === unknownFirstBlock ? genesis : kept.genesis, chainName: chain.chainName, startedAt: clock.now(), standby: null, alarms: [],
      // The node may have left or entered the active set while the program was stopped.
      membership: { ...kept.membership, readAt: null },
    };
  }
  if (kept !== null) {
    log.warn('The chain was reset: its id is the same, but its first block differs. The node starts with a new state and keeps the old state in a backup file.');
    await setAside(folder, 'other-chain');
  }
  const before = Math.max(0, Math.max(chain.startBlock, head.number - chain.offsetBlock) - 1);
  const block = before >= head.number ? head : await getBlock(rpc, before, signal);
  if (block === null) throw new Error(`block ${before} is not there`);
  return {
    version: 1, chainId: chain.chainId, chainName: chain.chainName, service: contract.service, node, genesis,
    checkpoints: [{ block: block.number, hash: block.hash }], startedAt: clock.now(), savedAt: clock.now(), chainSeenAt: null, attestations: [],
    membership: { id: 0, active: false, readAt: null, activeSince: null, weight: null, claimer: null, commissionRate: null, missed: null },
    day: null, countedDay: null, online: [], lastChosenAt: null, lastReportedAt: null, counts: { announced: 0, chosen: 0, reported: 0, missed: 0, notVoted: 0, daysCredited: 0, daysLost: 0 }, transactions: [], standby: null, alarms: [],
  };
}

async function readKept(folder: string, log: Logger): Promise<NodeState | null> {
  try {
    return await readNodeState(folder);
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    log.error(`${error.message} The file is kept as a backup, and the node starts with a new state.`);
    await setAside(folder, 'unreadable');
    return null;
  }
}

/** Renames the state file; keeps at most one old file per reason. */
async function setAside(folder: string, why: string): Promise<void> {
  await rename(join(folder, stateFile), join(folder, `${stateFile}.${why}`));
}
