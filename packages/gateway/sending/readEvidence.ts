import type { FeeMarket } from '@vouch/chain/fees/fees';
import type { Hex } from '@vouch/chain/messages/operation';
import { readReceipt, type Receipt } from '@vouch/chain/rpc/chainReads';
import { readHash, readInteger, readNullable, readObject, readQuantity } from '@vouch/chain/rpc/readResult';
import type { RpcCall, RpcClient, RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { settledBlock, standsIn, type ChainView } from '../confirming/chainView.ts';
import { findNonceUser, type NonceUser } from '../confirming/findNonceUser.ts';
import type { ChainFollower } from '../confirming/followChain.ts';
import { numberToHex } from 'viem';
import { unexplainedNonces, type LaneEvidence, type LaneRules } from './decideLane.ts';
import type { LiveBatch } from './liveBatch.ts';

/** Where a node suggests no tip. */
const usualTipWei = 1_000_000n;
/** A search costs about twenty calls; the others follow in the next steps. */
const maxSearches = 4;
/** So much deeper than a confirmation lies the block whose state settles who used a nonce. */
const settledExtra = 3;
/** After so many steps, some seconds, a head that lies behind is believed: the chain itself was set back. */
const maxBehind = 10;

export interface EvidenceSource {
  rpc: RpcClient;
  relayer: Hex;
  follower: ChainFollower;
  rules: LaneRules;
  capWei: bigint;
  /** The newest block that a transaction of the key was seen in; null before the first. */
  newestBlock: number | null;
  /** What was seen several times in a row. It only spares wrong alarms: a new process counts anew. */
  lastLook: LastChainLook;
}

export interface LastChainLook {
  /** How often the head was below the newest block. */
  behind: number;
  /** How often who used a nonce was searched for in vain. */
  vain: Map<number, number>;
}

export interface Evidence extends LaneEvidence {
  /** At the head's block. */
  balanceWei: bigint;
  /** The head lies below a block that carried a transaction of ours. */
  behind: boolean;
}

/**
 * Asks the chain about one key. State is read by the hash of the followed head, so that all of it belongs together whichever
 * backends answer.
 * @throws where something of it is missing: ask again a moment later
 */
export async function readEvidence(source: EvidenceSource, batches: readonly LiveBatch[], now: number, signal?: AbortSignal): Promise<Evidence> {
  const view = await source.follower.follow(signal);
  // A backend that lags has a head below the newest block that carried something of ours, but it does not stay there.
  const behind = source.newestBlock !== null && source.newestBlock > view.head.number;
  source.lastLook.behind = behind ? source.lastLook.behind + 1 : 0;
  return readAt(source, batches, { view, behind, setBack: source.lastLook.behind > maxBehind, now }, signal);
}

async function readAt(
  source: EvidenceSource, batches: readonly LiveBatch[], seenBefore: Pick<Evidence, 'view' | 'behind' | 'setBack' | 'now'>, signal?: AbortSignal,
): Promise<Evidence> {
  const { rpc, relayer, rules, capWei } = source;
  const { view } = seenBefore;
  const settled = settledBlock(view, rules.confirmations + settledExtra);
  const hashes = batches.flatMap(({ attempts }) => attempts.map(({ hash }) => hash));
  const old = oldBlocksOf(batches, view);
  const answers = await rpc.batch([
    { method: 'eth_getTransactionCount', params: [relayer, { blockHash: view.head.hash }] },
    { method: 'eth_getBalance', params: [relayer, { blockHash: view.head.hash }] },
    { method: view.head.baseFee === null ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas', params: [] },
    ...(settled === undefined ? [] : [{ method: 'eth_getTransactionCount', params: [relayer, { blockHash: settled.hash }] }]),
    ...old.map((number): RpcCall => ({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] })),
    ...hashes.map((hash): RpcCall => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  ], signal);
  const [count, balance, tip, ...rest] = answers;
  const settledNonce = settled === undefined ? null : valueOr(rest.shift(), readInteger, null);
  const oldBlocks = new Map(old.flatMap((number) => {
    const hash = valueOr(rest.shift(), readNullable((block) => readHash(readObject(block)['hash'])), null);
    return hash === null ? [] : [[number, hash] as const];
  }));
  const receipts = new Map<Hex, Receipt>();
  for (const hash of hashes) {
    const receipt = valueOr(rest.shift(), readNullable(readReceipt), null);
    if (receipt?.transactionHash === hash) receipts.set(hash, receipt);
  }
  const nonce = value(count, readInteger);
  const market: FeeMarket = view.head.baseFee === null
    ? { baseFeeWei: 0n, suggestedTipWei: value(tip, readQuantity), capWei, legacy: true }
    : { baseFeeWei: view.head.baseFee, suggestedTipWei: valueOr(tip, readQuantity, usualTipWei), capWei };
  const seen = { ...seenBefore, vain: source.lastLook.vain, nonce, settledNonce, receipts, oldBlocks, market, balanceWei: value(balance, readQuantity) };
  const unexplained = unexplainedNonces(batches, seen);
  const users = await findUsers(source, unexplained, view, signal);
  const vain = unexplained.filter((used) => !users.has(used)).map((used) => [used, (source.lastLook.vain.get(used) ?? 0) + 1] as const);
  source.lastLook.vain = new Map(vain);
  return { ...seen, users };
}

/** Blocks of our transactions that the view does not reach down to. */
function oldBlocksOf(batches: readonly LiveBatch[], view: ChainView): number[] {
  const numbers = batches.flatMap((batch) =>
    batch.state === 'mined' && batch.block.number < view.head.number && standsIn(view, batch.block) === 'unknown' ? [batch.block.number] : []);
  return [...new Set(numbers)];
}

async function findUsers(source: EvidenceSource, nonces: readonly number[], view: ChainView, signal?: AbortSignal): Promise<Map<number, NonceUser>> {
  const users = new Map<number, NonceUser>();
  for (const nonce of nonces.slice(0, maxSearches)) {
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
