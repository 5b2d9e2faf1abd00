import { createRpcClient } from '@vouch/chain/rpc/createRpcClient';
import { getBlock, getChainId, type Block } from '@vouch/chain/rpc/chainReads';
import { RpcUnavailable } from '@vouch/chain/rpc/rpcErrors';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import type { SystemInterfaces } from '@vouch/platform/process/systemInterfaces';
import { found, ok, type NodeFinding } from './findings.ts';

/** An endpoint that serves the configured chain, with the facts that it returned. */
export interface ChainFacts {
  rpc: RpcClient;
  head: Block;
}

type Look =
  | { kind: 'answers'; host: string; rpc: RpcClient; chainId: bigint; head: Block; latencyMs: number }
  | { kind: 'fails'; host: string; rpc: RpcClient; sentence: string };
type Answering = Extract<Look, { kind: 'answers' }>;

/** Time limit of one answer. The doctor asks once and waits less than the node. */
const timeoutMs = 5_000;
/** An endpoint whose newest block is older than another's by more than this does not follow the chain. */
export const maxBehindSeconds = 60;

/**
 * Checks every RPC endpoint separately, so that spare endpoints are checked too.
 * @param visit called with the best endpoint of the configured chain, or null if there is none; the connections are closed when `visit` ends
 */
export async function examineChain<Result>(
  urls: readonly string[], chainId: number, system: SystemInterfaces, visit: (facts: ChainFacts | null, findings: readonly NodeFinding[]) => Promise<Result>,
): Promise<Result> {
  const clients = urls.map((url) => createRpcClient({ urls: [url], timeoutMs }, system));
  try {
    const looks = await Promise.all(clients.map(look));
    const answering = looks.filter((each) => each.kind === 'answers');
    const right = answering.filter((each) => each.chainId === BigInt(chainId));
    const best = right.toSorted((a, b) => b.head.timestamp - a.head.timestamp)[0] ?? null;
    return await visit(best, findingsOf(looks, answering, right, chainId));
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function look(rpc: RpcClient): Promise<Look> {
  const host = rpc.endpoints()[0]?.host ?? '';
  try {
    const chainId = await getChainId(rpc);
    const head = await getBlock(rpc, 'latest');
    if (head === null) return { kind: 'fails', host, rpc, sentence: `${host} has no newest block.` };
    return { kind: 'answers', host, rpc, chainId, head, latencyMs: Math.round(rpc.endpoints()[0]?.latencyMs ?? 0) };
  } catch (error) {
    const sentence = error instanceof RpcUnavailable ? error.faults.map(({ message }) => message).join('; ') : error instanceof Error ? error.message : String(error);
    return { kind: 'fails', host, rpc, sentence };
  }
}

function findingsOf(looks: readonly Look[], answering: readonly Answering[], right: readonly Answering[], chainId: number): NodeFinding[] {
  if (answering.length === 0) {
    const why = looks.map((each) => (each.kind === 'fails' ? each.sentence : '')).join('; ');
    return [found('RPC', 'rpc-unreachable', why, 'Check chain.rpc_url, that the endpoint runs, and that this machine has network access.')];
  }
  const served = new Set(answering.map((each) => each.chainId));
  if (right.length === 0 && served.size === 1) {
    return [found('RPC', 'chain-id-wrong', `chain.chain_id is ${chainId}, but ${answering.map(({ host }) => host).join(', ')} serves chain ${[...served].join()}`,
      'Correct chain.chain_id or chain.rpc_url; a signature is valid only on the chain that the signature names.')];
  }
  const newest = Math.max(...right.map(({ head }) => head.timestamp));
  return looks.map((each) => describe(each, chainId, newest));
}

function describe(each: Look, chainId: number, newest: number): NodeFinding {
  if (each.kind === 'fails') {
    return found('RPC', 'rpc-spare-unreachable', each.sentence, 'The node uses the other endpoints. Repair this endpoint, or remove it from chain.rpc_url.');
  }
  const { host, head, latencyMs } = each;
  if (each.chainId !== BigInt(chainId)) {
    return found('RPC', 'rpc-other-chain', `${host} serves chain ${each.chainId}, but chain.chain_id is ${chainId}`, 'Remove the endpoint from chain.rpc_url, or use its URL for the configured chain.');
  }
  const behind = newest - head.timestamp;
  if (behind > maxBehindSeconds) {
    return found('RPC', 'rpc-behind', `${host} is at block ${head.number}, ${behind} s older than the newest block of another endpoint`, 'The endpoint is behind the chain: choose another endpoint, or wait until it has caught up.');
  }
  return ok('RPC', `${host} serves chain ${chainId} at block ${head.number}, in ${latencyMs} ms`);
}
