import { settingsAbi } from '@vouch/chain/contracts/abi/settings';
import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import type { Hex } from '@vouch/chain/messages/operation';
import { ethCall } from '@vouch/chain/rpc/chainReads';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { decodeFunctionResult, encodeFunctionData } from 'viem';
import { wrapCalls, type ArrangedCall } from '../batching/arrangeCalls.ts';
import { callAlone, simulateInOrder } from '../batching/simulate.ts';
import type { LineContext } from '../sending/lineContext.ts';
import { sendActivity, type OwnTransaction } from '../sending/sendOwn.ts';
import { readUnreported, storeReported } from './activityStore.ts';

/** Most nodes of one transaction; a report of one takes up to 120,000 gas. */
const nodesMax = 100;
const gasOfNode = 130_000n;
const gasFixed = 100_000n;
/** A day is looked at this often, but not more than every 15 s. */
const looksPerDay = 40;
const lookMsMin = 15_000;

interface Day {
  /** As the contract counts days. */
  date: number;
  begin: Date;
  lengthSeconds: number;
}

/** The transaction to be sent, and what the key has left for it. */
export interface KeeperTransaction extends OwnTransaction {
  spareWei: bigint;
}

/**
 * Reports daily activity for nodes that sent anything today: their own program never does, and a day that is not reported earns
 * nothing. Open to anybody by the contract, and paid by the relayer.
 */
export interface Keeper {
  /** @returns whether something was sent */
  keep(context: LineContext, headTime: number, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean>;
}

export function createKeeper(): Keeper {
  // Only spares questions: a restart looks once more, and what was reported stands in rows.
  let nextLookMs = 0;
  return {
    async keep(context, headTime, own, signal) {
      const now = context.doors.clock.now();
      if (now < nextLookMs) return false;
      const day = await readDay(context.rpc, context.service, headTime, signal);
      nextLookMs = now + Math.max(lookMsMin, (day.lengthSeconds * 1_000) / looksPerDay);
      return report(context, day, own, signal);
    },
  };
}

async function report(context: LineContext, day: Day, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean> {
  const { database, line, service, isolation, log } = context;
  const candidates = await readUnreported(database, line.deployment, day, nodesMax);
  const nodes = await keepPossible(context, candidates, own.headNumber, signal);
  if (nodes.length === 0) return false;
  const calls = nodes.map((node, member): ArrangedCall => ({ kind: 'single', data: encodeReport(node), member }));
  const payload = wrapCalls(calls, service, isolation);
  const gasLimit = gasFixed + gasOfNode * BigInt(nodes.length);
  // Messages come first: a transaction that cannot be paid would hold those behind it up.
  if (gasLimit * own.fees.maxFeeWei > own.spareWei) return false;
  const sent = await sendActivity(context, payload, gasLimit, own, (transaction, batchId) =>
    storeReported(transaction, line.deployment, day.date, nodes, batchId), signal);
  if (sent !== null) log.info({ batch: sent, nodes: nodes.length, date: day.date }, 'daily activity reported');
  return sent !== null;
}

/** Those whose report the contract would take: active, with weight, long enough in the set, not reported today by anybody. */
async function keepPossible({ rpc, line, service }: LineContext, nodes: readonly Hex[], block: number, signal?: AbortSignal): Promise<Hex[]> {
  if (nodes.length === 0) return [];
  const calls = nodes.map((node) => ({ to: service, calldata: encodeReport(node) }));
  const basis = { from: line.relayer, block };
  const simulation = await simulateInOrder(rpc, basis, calls, signal);
  if (simulation !== null) return nodes.filter((_, place) => simulation.calls[place]?.succeeded === true);
  const reverts = await callAlone(rpc, basis, calls, signal);
  return nodes.filter((_, place) => reverts[place] === null);
}

function encodeReport(node: Hex): Hex {
  return encodeFunctionData({ abi: verifierServiceAbi, functionName: 'nodeReportDailyActive', args: [node] });
}

/** The contract's day, or that of the calendar where it does not tell. */
async function readDay(rpc: RpcClient, service: Hex, headTime: number, signal?: AbortSignal): Promise<Day> {
  const lengthSeconds = await readDayLength(rpc, service, signal);
  const date = Math.floor(headTime / lengthSeconds);
  return { date, lengthSeconds, begin: new Date(date * lengthSeconds * 1_000) };
}

async function readDayLength(rpc: RpcClient, service: Hex, signal?: AbortSignal): Promise<number> {
  const abi = verifierServiceAbi;
  try {
    const data = await ethCall(rpc, { to: service, data: encodeFunctionData({ abi, functionName: 'settings' }) }, 'latest', signal);
    const settings = decodeFunctionResult({ abi, functionName: 'settings', data });
    const length = await ethCall(
      rpc, { to: `0x${settings.slice(2)}`, data: encodeFunctionData({ abi: settingsAbi, functionName: 'dayLength' }) }, 'latest', signal);
    return decodeFunctionResult({ abi: settingsAbi, functionName: 'dayLength', data: length });
  } catch (error) {
    if (!(error instanceof RpcRefused)) throw error;
    return 86_400;
  }
}
