import type { Hex } from '@vouch/chain/messages/operation';
import { parseAddress, parseBytes, parseHash, parseInteger, parseList, parseObject, parseQuantity } from '@vouch/chain/rpc/parseResult';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { RpcRefused } from '@vouch/chain/rpc/rpcErrors';
import { numberToHex } from 'viem';
import type { Event } from '../calls/decodeOutcomes.ts';
import type { Payload } from '../calls/arrangeCalls.ts';

/** Result of a simulated call. */
export type SimulatedCall =
  | { succeeded: true; gasUsed: bigint; logs: readonly Event[] }
  /** `data` is the revert data. */
  | { succeeded: false; data: Hex };

/** Result of simulated calls, in their order. */
export interface Simulation {
  /** Time of the first simulated block, seconds since 1970. */
  blockTime: number;
  calls: readonly SimulatedCall[];
}

/** Sender of the calls and base block. The block is the followed head, because a lagging endpoint would use an older state. */
export interface Basis {
  from: Hex;
  block: number;
  /** Time of the first simulated block, seconds since 1970; chosen by the node if absent. */
  firstTime?: number;
}

/** Calls per simulated block; several blocks keep the total gas below a node's block gas limit. */
const callsPerBlock = 40;

/**
 * Simulates calls in sequence on top of a block with `eth_simulateV1`; each call sees the effects of the previous calls.
 * @returns null if the node does not support the method
 * @throws RpcUnavailable; RpcRefused if the endpoint does not have the block yet
 */
export async function simulateInOrder(rpc: RpcClient, on: Basis, calls: readonly Payload[], signal?: AbortSignal): Promise<Simulation | null> {
  const { from, block, firstTime } = on;
  const blocks = chunk(calls, callsPerBlock).map((some, place) => ({
    // By default nodes set simulated blocks 12 s apart, so that messages could expire in later blocks.
    ...(firstTime === undefined ? {} : { blockOverrides: { time: numberToHex(firstTime + place) } }),
    calls: some.map(({ to, calldata }) => ({ from, to, data: calldata })),
  }));
  try {
    return await rpc.ask('eth_simulateV1', [{ blockStateCalls: blocks, validation: false, traceTransfers: false }, numberToHex(block)], (answer) =>
      parseSimulation(answer, calls.length), signal);
  } catch (error) {
    // Nodes use many error codes for an unknown method or unsupported arguments; the caller falls back to single calls.
    if (error instanceof RpcRefused && !isMissingBlock(error)) return null;
    throw error;
  }
}

/**
 * Runs each call alone with `eth_call`.
 * @returns the revert data of each call; null if the call succeeds, or if the node refuses it for another reason than a revert
 * @throws RpcUnavailable, EndpointFault; RpcRefused if the endpoint does not have the block yet
 */
export async function callAlone(rpc: RpcClient, { from, block }: Basis, calls: readonly Payload[], signal?: AbortSignal): Promise<(Hex | null)[]> {
  const outcomes = await rpc.batch(calls.map(({ to, calldata }) => ({ method: 'eth_call', params: [{ from, to, data: calldata }, numberToHex(block)] })), signal);
  return outcomes.map((outcome) => {
    if (outcome.ok) return null;
    if (!(outcome.error instanceof RpcRefused) || isMissingBlock(outcome.error)) throw outcome.error;
    return revertData(outcome.error);
  });
}

function parseSimulation(answer: unknown, count: number): Simulation {
  const blocks = parseList(answer, parseObject);
  const calls = blocks.flatMap((block) => parseList(block['calls'], parseCall));
  if (calls.length !== count) throw new Error(`the simulation of ${calls.length} calls returned ${count} results`);
  return { blockTime: parseInteger(blocks[0]?.['timestamp']), calls };
}

function parseCall(value: unknown): SimulatedCall {
  const fields = parseObject(value);
  if (parseInteger(fields['status']) === 1) {
    return { succeeded: true, gasUsed: parseQuantity(fields['gasUsed']), logs: parseList(fields['logs'] ?? [], parseEvent) };
  }
  return { succeeded: false, data: parseBytes(fields['returnData'] ?? '0x') };
}

function parseEvent(value: unknown): Event {
  const log = parseObject(value);
  return { address: parseAddress(log['address']), topics: parseList(log['topics'], parseHash), data: parseBytes(log['data']) };
}

function isMissingBlock({ said }: RpcRefused): boolean {
  return /(?:block|header|resource|state).*(?:not found|unknown|missing|not available)|(?:unknown|missing|future) (?:block|header|trie)|out of range|out ?of ?bounds/i.test(said);
}

/** The revert data of an error; null if the error is not a revert. */
function revertData(error: RpcRefused): Hex | null {
  const { data } = error;
  const inner = typeof data === 'object' && data !== null && 'data' in data ? data.data : data;
  if (typeof inner === 'string' && /^0x[0-9a-fA-F]*$/.test(inner)) return parseBytes(inner);
  return error.code === 3 || /revert/i.test(error.said) ? '0x' : null;
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
