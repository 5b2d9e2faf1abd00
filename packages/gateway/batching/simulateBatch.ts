import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { explainRevert } from '../calls/explainRevert.ts';
import { decodeOutcomes, type Outcome } from '../calls/decodeOutcomes.ts';
import { arrangeCalls, encodeAlone, wrapCalls, type Isolation, type Payload, type SignedOperation } from '../calls/arrangeCalls.ts';
import { plannedGas } from '../calls/operationCosts.ts';
import { callAlone, simulateInOrder, type Basis, type SimulatedCall } from './simulate.ts';

/** Chain, sender and limits of a simulated batch. */
export interface SimulationTarget {
  rpc: RpcClient;
  /** Ethereum address of the sender. */
  relayer: Hex;
  /** Number of the followed head block. */
  block: number;
  service: Hex;
  isolation: Isolation;
  gasMax: number;
}

/** An operation that would fail, with the contract's revert reason. */
export interface Refused {
  signed: SignedOperation;
  said: string | null;
}

/** The remaining batch after simulation, ready to be signed. */
export interface SimulatedBatch {
  kept: readonly SignedOperation[];
  /** Null if no operation remains. */
  payload: Payload | null;
  gasLimit: bigint;
  refused: readonly Refused[];
  /** Operations that return to the queue because the batch would exceed the gas limit. */
  cut: readonly SignedOperation[];
  /** Time of the simulated block, seconds since 1970; null if the node does not support simulation. */
  blockTime: number | null;
}

/**
 * Margin of the gas limit above the simulated gas: a nested call receives only 63/64 of the gas, refunds are credited only at the
 * end, and state can change before the transaction is mined. Without the margin, a nested call can run out of gas although the
 * transaction succeeds.
 */
const gasMarginPercent = 40n;
const gasMarginFixed = 80_000n;
/** Maximum number of rounds that remove failing operations; further rounds halve the batch instead. */
const maxRounds = 4;

/**
 * Simulates operations as one transaction and removes those that would fail, with their reasons. RPC failures reject the promise
 * and are never attributed to an operation.
 * @throws RpcUnavailable, RpcRefused
 */
export async function simulateBatch(target: SimulationTarget, operations: readonly SignedOperation[], signal?: AbortSignal): Promise<SimulatedBatch> {
  let kept = [...operations];
  let cut: SignedOperation[] = [];
  const refused: Refused[] = [];
  let blockTime: number | null = null;
  for (let round = 0; kept.length > 0; round += 1) {
    const calls = arrangeCalls(kept);
    const payload = wrapCalls(calls, target.service, target.isolation);
    const simulation = await simulateInOrder(target.rpc, basisOf(target), [payload], signal);
    if (simulation === null) return simulateByCalls(target, kept, { refused, cut }, signal);
    blockTime = simulation.blockTime;
    const whole = simulation.calls[0] as SimulatedCall;
    const outcomes: readonly Outcome[] = whole.succeeded
      ? decodeOutcomes(kept, calls, whole.logs, { service: target.service, isolates: target.isolation.kind === 'native', time: null })
      : kept.map(() => ({ applied: false, said: null }));
    const gasUsed = whole.succeeded ? whole.gasUsed : 0n;
    if (gasUsed > BigInt(target.gasMax) && kept.length > 1) {
      const place = Math.max(1, Math.floor((kept.length * target.gasMax) / Number(gasUsed)) - 1);
      cut = [...kept.slice(place), ...cut];
      kept = kept.slice(0, place);
      continue;
    }
    if (outcomes.every(({ applied }) => applied)) return { kept, payload, gasLimit: limitFor(gasUsed), refused, cut, blockTime };
    const culprits = await findCulprits(target, kept, outcomes, blockTime, signal);
    if (culprits.size === 0 || round >= maxRounds) {
      // No operation fails alone, so the batch fails as a whole, for example by the node's gas limit of simulations. Half of it is
      // tried.
      if (kept.length === 1) culprits.set(0, outcomes[0]?.applied === false ? outcomes[0].said : null);
      else {
        const half = Math.ceil(kept.length / 2);
        cut = [...kept.slice(half), ...cut];
        kept = kept.slice(0, half);
        continue;
      }
    }
    refused.push(...[...culprits].map(([place, said]) => ({ signed: kept[place] as SignedOperation, said })));
    kept = kept.filter((_, place) => !culprits.has(place));
  }
  return { kept: [], payload: null, gasLimit: 0n, refused, cut, blockTime };
}

/** Positions of the operations that fail by themselves, with the contract's revert reasons. */
async function findCulprits(
  target: SimulationTarget, operations: readonly SignedOperation[], outcomes: readonly Outcome[], blockTime: number, signal?: AbortSignal,
): Promise<Map<number, string | null>> {
  const named = new Map(outcomes.flatMap((outcome, place) => (!outcome.applied && outcome.said !== null ? [[place, outcome.said] as const] : [])));
  // An isolating contract reports each entry's reason; otherwise each operation is simulated as a separate call, in the batch's
  // order.
  if (named.size > 0 && target.isolation.kind === 'native') return named;
  const payloads = operations.map((signed) => ({ to: target.service, calldata: encodeAlone(signed) }));
  const simulation = await simulateInOrder(target.rpc, { ...basisOf(target), firstTime: blockTime }, payloads, signal);
  if (simulation === null) return new Map();
  return new Map(simulation.calls.flatMap((call, place) => {
    const signed = operations[place] as SignedOperation;
    if (!call.succeeded) return [[place, explainRevert(call.data)] as const];
    const [outcome] = decodeOutcomes([signed], arrangeCalls([signed]), call.logs, { service: target.service, isolates: target.isolation.kind === 'native', time: null });
    return outcome === undefined || outcome.applied ? [] : [[place, outcome.said] as const];
  }));
}

/**
 * Fallback without `eth_simulateV1`: checks each operation alone against the head block. An operation after a node change of the
 * same signer can depend on that change, so its result is ignored; the transaction itself isolates its failure.
 * @param removed operations that were removed in earlier rounds, while `eth_simulateV1` still worked
 */
async function simulateByCalls(
  target: SimulationTarget, operations: readonly SignedOperation[], removed: Pick<SimulatedBatch, 'refused' | 'cut'>, signal?: AbortSignal,
): Promise<SimulatedBatch> {
  const payloads = operations.map((signed) => ({ to: target.service, calldata: encodeAlone(signed) }));
  const reverts = await callAlone(target.rpc, basisOf(target), payloads, signal);
  const changed = new Set<Hex>();
  const { cut } = removed;
  const refused = [...removed.refused];
  const kept = operations.filter((signed, place) => {
    const data = reverts[place] ?? null;
    const judged = !changed.has(signed.signer);
    if (signed.operation.kind !== 'report') changed.add(signed.signer);
    if (data === null || !judged) return true;
    refused.push({ signed, said: explainRevert(data) });
    return false;
  });
  if (kept.length === 0) return { kept, payload: null, gasLimit: 0n, refused, cut, blockTime: null };
  const payload = wrapCalls(arrangeCalls(kept), target.service, target.isolation);
  const gas = kept.reduce((sum, { operation }) => sum + plannedGas(operation.kind, false), 21_000);
  return { kept, payload, gasLimit: limitFor(BigInt(gas)), refused, cut, blockTime: null };
}

function basisOf({ relayer, block }: SimulationTarget): Basis {
  return { from: relayer, block };
}

function limitFor(gasUsed: bigint): bigint {
  return (gasUsed * (100n + gasMarginPercent)) / 100n + gasMarginFixed;
}
