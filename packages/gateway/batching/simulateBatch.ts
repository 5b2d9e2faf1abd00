import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcClient } from '@vouch/chain/rpc/rpcClient';
import { explainRevert } from '../calls/explainRevert.ts';
import { readOutcomes, type Outcome } from '../calls/readOutcomes.ts';
import { arrangeCalls, encodeAlone, wrapCalls, type Isolation, type Payload, type SignedOperation } from '../calls/arrangeCalls.ts';
import { plannedGas } from '../calls/operationCosts.ts';
import { callAlone, simulateInOrder, type Basis, type SimulatedCall } from './simulate.ts';

export interface SimulationTarget {
  rpc: RpcClient;
  /** Who would send it. */
  relayer: Hex;
  /** The followed head. */
  block: number;
  service: Hex;
  isolation: Isolation;
  gasMax: number;
}

/** An operation that would fail, in the contract's words. */
interface Refused {
  signed: SignedOperation;
  said: string | null;
}

/** What is left of a batch after it was simulated, ready to be signed. */
export interface SimulatedBatch {
  kept: readonly SignedOperation[];
  /** Absent where nothing is left. */
  payload: Payload | null;
  gasLimit: bigint;
  refused: readonly Refused[];
  /** Go back to the queue: the batch would have been too large with them. */
  cut: readonly SignedOperation[];
  /** Time of the simulated block, seconds since the epoch; null where the node cannot simulate. */
  blockTime: number | null;
}

/**
 * A call into a call gets 63/64 of the gas, refunds come only at the end, and state may change until the transaction lands:
 * more than was used has to be offered, or an inner call runs out although the transaction succeeds.
 */
const gasMarginPercent = 40n;
const gasMarginFixed = 80_000n;
/** Each round drops what fails, and what is left behaves as it did; more rounds mean that something is odd. */
const maxRounds = 4;

/**
 * Simulates operations as the one transaction that they are to become and takes out those that would fail, with reasons. Failures of
 * the RPC reject and are no operation's fault.
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
    if (simulation === null) return simulateByCalls(target, kept, cut, signal);
    blockTime = simulation.blockTime;
    const whole = simulation.calls[0] as SimulatedCall;
    const outcomes: readonly Outcome[] = whole.succeeded
      ? readOutcomes(kept, calls, whole.logs, target.service, target.isolation.kind === 'native')
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
      // Nobody fails alone: they fail together, by the gas of the node's simulation or by something odd. Half of them is tried.
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

/** Places of the operations that fail by themselves, with the contract's words. */
async function findCulprits(
  target: SimulationTarget, operations: readonly SignedOperation[], outcomes: readonly Outcome[], blockTime: number, signal?: AbortSignal,
): Promise<Map<number, string | null>> {
  const named = new Map(outcomes.flatMap((outcome, place) => (!outcome.applied && outcome.said !== null ? [[place, outcome.said] as const] : [])));
  // A service that isolates says of each entry why; otherwise each one is run by itself, after what its batch would have done before.
  if (named.size > 0 && target.isolation.kind === 'native') return named;
  const payloads = operations.map((signed) => ({ to: target.service, calldata: encodeAlone(signed) }));
  const simulation = await simulateInOrder(target.rpc, { ...basisOf(target), firstTime: blockTime }, payloads, signal);
  if (simulation === null) return new Map();
  return new Map(simulation.calls.flatMap((call, place) => {
    const signed = operations[place] as SignedOperation;
    if (!call.succeeded) return [[place, explainRevert(call.data)] as const];
    const [outcome] = readOutcomes([signed], arrangeCalls([signed]), call.logs, target.service, target.isolation.kind === 'native');
    return outcome === undefined || outcome.applied ? [] : [[place, outcome.said] as const];
  }));
}

/**
 * Without `eth_simulateV1`: each operation by itself against the newest block. What follows a rare operation of its signer cannot be
 * judged so, since it may depend on it; what is wrong with it the transaction itself isolates.
 */
async function simulateByCalls(
  target: SimulationTarget, operations: readonly SignedOperation[], cut: readonly SignedOperation[], signal?: AbortSignal,
): Promise<SimulatedBatch> {
  const payloads = operations.map((signed) => ({ to: target.service, calldata: encodeAlone(signed) }));
  const reverts = await callAlone(target.rpc, basisOf(target), payloads, signal);
  const changed = new Set<Hex>();
  const refused: Refused[] = [];
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
