import type { FeeMarket } from '@vouch/chain/fees/fees';
import type { Hex } from '@vouch/chain/messages/operation';
import { parseReceipt, type Receipt } from '@vouch/chain/rpc/chainReads';
import { parseHash, parseInteger, parseNullable, parseObject, parseQuantity } from '@vouch/chain/rpc/parseResult';
import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { blockAt, settledBlock, standsIn, type ChainView } from './confirming/chainView.ts';
import { findNonceUser, type NonceUser } from './confirming/findNonceUser.ts';
import type { ChainFollower } from './confirming/followChain.ts';
import { numberToHex } from 'viem';
import { unexplainedNonces, type LaneEvidence, type LaneRules } from './decideLane.ts';
import type { LiveBatch, NewestBlock } from './liveBatch.ts';

/** Priority fee in wei if the node suggests none. */
const usualTipWei = 1_000_000n;
/** Maximum number of searches per step, at about 20 RPC calls each; the next steps run the remaining searches. */
const maxSearches = 4;
/** Additional depth beyond `confirmations` of the block whose state gives `settled`. */
const settledExtra = 3;
/** Number of consecutive steps (a few seconds) after which an observation about the head counts. */
const maxBehind = 10;

/** Dependencies of `fetchEvidence`. */
export interface EvidenceSource {
  rpc: RpcClient;
  chainId: bigint;
  relayer: Hex;
  follower: ChainFollower;
  rules: LaneRules;
  capWei: bigint;
  /** The newest block that contained a transaction of the key; null before the first one. */
  newestBlock: NewestBlock | null;
  /** Counts of consecutive observations. They only suppress false alarms, so a new process may start at zero. */
  lastLook: LastChainLook;
}

/** Counters between steps of one lane. */
export interface LastChainLook {
  /** Consecutive steps with a head below the newest stored block. */
  behind: number;
  /** Steps with a head that is below the newest stored block and later than this block; if its chain lacks the newest final block, only those with a new head. */
  replaced: number;
  /** Hash of the head of the last step; null before the first. */
  head: Hex | null;
  /** Consecutive failed searches by nonce. */
  vain: Map<number, number>;
}

/** The chain's answers in one step. */
export interface Evidence extends LaneEvidence {
  /** Balance in wei at the head block. */
  balanceWei: bigint;
  /** Whether the head is below a block that contained a transaction of the key, or on a branch without the newest final one. */
  behind: boolean;
  /** Whether this has been so for some seconds. */
  staysBehind: boolean;
}

/**
 * Reads the chain's state of one key. State is read by the hash of the followed head, so the values are consistent even if
 * different endpoints answer.
 * @throws if an answer is missing; the caller retries
 */
export async function fetchEvidence(source: EvidenceSource, batches: readonly LiveBatch[], now: number, signal?: AbortSignal): Promise<Evidence> {
  const view = await source.follower.follow(signal);
  const { newestBlock, lastLook } = source;
  // An endpoint that stopped on a branch that the chain has left can have a head of the same number, whose state lacks transactions of final blocks.
  const contradicts = newestBlock?.final != null && standsIn(view, newestBlock.final) === 'no';
  const behind = newestBlock !== null && (newestBlock.number > view.head.number || contradicts);
  // Block times never decrease on a chain. A head with a lower number and a later time proves that the newest block is not on the chain of the head; a
  // lower head alone can come from an endpoint that has not followed the chain for minutes.
  const lacksNewest = behind && view.head.timestamp > newestBlock.time;
  const lacksFinal = contradicts || (lacksNewest && newestBlock.final !== null && newestBlock.final.number > view.head.number);
  // A left branch gets no new heads, the chain of a reset does. Without a final block, nothing can be sent at a used nonce: the database refuses it.
  const replaced = lacksFinal ? view.head.hash !== lastLook.head : lacksNewest;
  lastLook.behind = behind ? lastLook.behind + 1 : 0;
  lastLook.replaced = replaced ? lastLook.replaced + 1 : lacksFinal ? lastLook.replaced : 0;
  lastLook.head = view.head.hash;
  return fetchAt(source, batches, { view, behind, staysBehind: lastLook.behind > maxBehind, setBack: lastLook.replaced > maxBehind, now }, signal);
}

async function fetchAt(
  source: EvidenceSource, batches: readonly LiveBatch[], seenBefore: Pick<Evidence, 'view' | 'behind' | 'staysBehind' | 'setBack' | 'now'>, signal?: AbortSignal,
): Promise<Evidence> {
  const { rpc, chainId, relayer, rules, capWei } = source;
  const { view } = seenBefore;
  const settled = settledBlock(view, rules.confirmations + settledExtra);
  const hashes = batches.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  const answers = await rpc.batch([
    { method: 'eth_chainId', params: [] },
    { method: 'eth_getTransactionCount', params: [relayer, { blockHash: view.head.hash }] },
    { method: 'eth_getBalance', params: [relayer, { blockHash: view.head.hash }] },
    { method: view.head.baseFee === null ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas', params: [] },
    ...(settled === undefined ? [] : [{ method: 'eth_getTransactionCount', params: [relayer, { blockHash: settled.hash }] }]),
    ...hashes.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ], signal);
  const [served, count, balance, tip, ...rest] = answers;
  requireChain(value(served, parseQuantity), chainId);
  const settledNonce = settled === undefined ? null : valueOr(rest.shift(), parseInteger, null);
  const ofSettled = settled === undefined || settledNonce === null ? null : { nonce: settledNonce, block: settled };
  const receipts = new Map<Hex, Receipt>();
  for (const hash of hashes) {
    const receipt = valueOr(rest.shift(), parseNullable(parseReceipt), null);
    if (receipt?.transactionHash === hash) receipts.set(hash, receipt);
  }
  const oldBlocks = await fetchOldBlocks(rpc, oldBlockNumbers(batches, receipts, view), signal);
  const nonce = value(count, parseInteger);
  const market: FeeMarket = view.head.baseFee === null
    ? { baseFeeWei: 0n, suggestedTipWei: value(tip, parseQuantity), capWei, legacy: true }
    : { baseFeeWei: view.head.baseFee, suggestedTipWei: valueOr(tip, parseQuantity, usualTipWei), capWei };
  const seen = { ...seenBefore, vain: source.lastLook.vain, nonce, settled: ofSettled, receipts, oldBlocks, market, balanceWei: value(balance, parseQuantity) };
  const unexplained = unexplainedNonces(batches, seen);
  const searched = unexplained.slice(0, maxSearches);
  const users = await findUsers(source, searched, view, signal);
  // The search read these blocks by number, so below the view they are the chain's.
  for (const { block } of users.values()) if (blockAt(view, block.number) === undefined) oldBlocks.set(block.number, block.hash);
  source.lastLook.vain = countVain(source.lastLook.vain, unexplained, { searched, users });
  return { ...seen, users };
}

/** Counts the searches without a result. A nonce that this step does not search keeps its count: nothing was found out about it. */
function countVain(
  before: ReadonlyMap<number, number>, unexplained: readonly number[], { searched, users }: { searched: readonly number[]; users: ReadonlyMap<number, NonceUser> },
): Map<number, number> {
  return new Map(unexplained.filter((nonce) => !users.has(nonce)).map((nonce) => [nonce, (before.get(nonce) ?? 0) + Number(searched.includes(nonce))]));
}

/**
 * The client checks an endpoint's chain now and then, a step each time: what another chain says of a nonce must not end a batch whose transaction
 * can still be mined.
 */
function requireChain(served: bigint, chainId: bigint): void {
  if (served !== chainId) throw new Error(`the RPC endpoint serves chain ${served}, but chain ${chainId} is configured`);
}

/** Numbers of the blocks below the view that contain a transaction of the batches; blocks get there while no process writes. */
function oldBlockNumbers(batches: readonly LiveBatch[], receipts: ReadonlyMap<Hex, Receipt>, view: ChainView): number[] {
  const mined = batches.flatMap((batch) => (batch.state === 'mined' ? [batch.block.number] : []));
  const received = [...receipts.values()].map(({ blockNumber }) => blockNumber);
  return [...new Set([...mined, ...received])].filter((number) => number < view.head.number && blockAt(view, number) === undefined);
}

async function fetchOldBlocks(rpc: RpcClient, numbers: readonly number[], signal?: AbortSignal): Promise<Map<number, Hex>> {
  if (numbers.length === 0) return new Map();
  const outcomes = await rpc.batch(numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })), signal);
  return new Map(numbers.flatMap((number, at) => {
    const hash = valueOr(outcomes[at], parseNullable((block) => parseHash(parseObject(block)['hash'])), null);
    return hash === null ? [] : [[number, hash] as const];
  }));
}

async function findUsers(source: EvidenceSource, nonces: readonly number[], view: ChainView, signal?: AbortSignal): Promise<Map<number, NonceUser>> {
  const users = new Map<number, NonceUser>();
  for (const nonce of nonces) {
    const user = await findNonceUser(source.rpc, source.relayer, nonce, view.head.number, signal);
    if (user !== null) users.set(nonce, user);
  }
  return users;
}

function value<Result>(outcome: RpcOutcome | undefined, read: (result: unknown) => Result): Result {
  if (outcome === undefined) throw new Error('an answer of the RPC is missing');
  if (!outcome.ok) throw outcome.error;
  return read(outcome.result);
}

function valueOr<Result, Default>(outcome: RpcOutcome | undefined, read: (result: unknown) => Result, absent: Default): Result | Default {
  try {
    return value(outcome, read);
  } catch {
    return absent;
  }
}
