import type { Hex } from '@vouch/chain/messages/operation';
import { readAddress, readBytes, readHash, readInteger, readList, readObject, readQuantity } from '@vouch/chain/rpc/readResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { numberToHex } from 'viem';
import type { Event } from '../calls/readOutcomes.ts';
import type { Payload } from '../calls/arrangeCalls.ts';

/** What a call would do in the next block. */
export type SimulatedCall =
  | { succeeded: true; gasUsed: bigint; logs: readonly Event[] }
  /** `data` is what it reverted with. */
  | { succeeded: false; data: Hex };

export interface Simulation {
  /** Time of the block that was simulated, seconds since the epoch. */
  blockTime: number;
  calls: readonly SimulatedCall[];
}

/** Who would send the calls, and on top of which block: the followed head, since a backend that lags would judge by an older state. */
export interface Basis {
  from: Hex;
  block: number;
  /** Time of the first simulated block, seconds since the epoch; the node's own unless told. */
  firstTime?: number;
}

/** Several blocks, so that the gas of many calls fits a node's limit of a block. */
const callsPerBlock = 40;

/**
 * Runs calls one after the other on top of a block with `eth_simulateV1`: each sees what those before it did.
 * Null where the node cannot.
 * @throws RpcUnavailable; RpcRefused where the backend does not have the block yet: what it would say is old
 */
export async function simulateInOrder(rpc: RpcClient, on: Basis, calls: readonly Payload[], signal?: AbortSignal): Promise<Simulation | null> {
  const { from, block, firstTime } = on;
  const blocks = chunk(calls, callsPerBlock).map((some, place) => ({
    // Nodes put 12 s between simulated blocks, after which a message may have expired.
    ...(firstTime === undefined ? {} : { blockOverrides: { time: numberToHex(firstTime + place) } }),
    calls: some.map(({ to, calldata }) => ({ from, to, data: calldata })),
  }));
  try {
    return await rpc.ask('eth_simulateV1', [{ blockStateCalls: blocks, validation: false, traceTransfers: false }, numberToHex(block)], (answer) =>
      readSimulation(answer, calls.length), signal);
  } catch (error) {
    // Not having the method and refusing its arguments have many codes; either way the calls can be made one by one.
    if (error instanceof RpcRefused && !isMissingBlock(error)) return null;
    throw error;
  }
}

/**
 * The reasons of calls that revert, each by itself with `eth_call`; null for one that does not, and for one that the node refuses
 * for reasons of its own, which are no fault of the operation.
 * @throws RpcUnavailable, EndpointFault; RpcRefused where the backend does not have the block yet
 */
export async function callAlone(rpc: RpcClient, { from, block }: Basis, calls: readonly Payload[], signal?: AbortSignal): Promise<(Hex | null)[]> {
  const outcomes = await rpc.batch(calls.map(({ to, calldata }) => ({ method: 'eth_call', params: [{ from, to, data: calldata }, numberToHex(block)] })), signal);
  return outcomes.map((outcome) => {
    if (outcome.ok) return null;
    if (!(outcome.error instanceof RpcRefused) || isMissingBlock(outcome.error)) throw outcome.error;
    return revertData(outcome.error);
  });
}

function readSimulation(answer: unknown, count: number): Simulation {
  const blocks = readList(answer, readObject);
  const calls = blocks.flatMap((block) => readList(block['calls'], readCall));
  if (calls.length !== count) throw new Error(`${count} calls were simulated, ${calls.length} answered`);
  return { blockTime: readInteger(blocks[0]?.['timestamp']), calls };
}

function readCall(value: unknown): SimulatedCall {
  const fields = readObject(value);
  if (readInteger(fields['status']) === 1) {
    return { succeeded: true, gasUsed: readQuantity(fields['gasUsed']), logs: readList(fields['logs'] ?? [], readEvent) };
  }
  return { succeeded: false, data: readBytes(fields['returnData'] ?? '0x') };
}

function readEvent(value: unknown): Event {
  const log = readObject(value);
  return { address: readAddress(log['address']), topics: readList(log['topics'], readHash), data: readBytes(log['data']) };
}

function isMissingBlock({ said }: RpcRefused): boolean {
  return /(?:block|header|resource|state).*(?:not found|unknown|missing|not available)|(?:unknown|missing|future) (?:block|header|trie)|out of range|out ?of ?bounds/i.test(said);
}

/** The data of a refusal that is a revert; null for refusals of another kind. */
function revertData(error: RpcRefused): Hex | null {
  const { data } = error;
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (typeof inner === 'string' && /^0x[0-9a-fA-F]*$/.test(inner)) return readBytes(inner);
  return error.code === 3 || /revert/i.test(error.said) ? '0x' : null;
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
