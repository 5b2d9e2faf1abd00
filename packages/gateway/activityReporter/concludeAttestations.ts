import { concludeData } from '@vouch/chain/contracts/service/actions';
import { decodeConcluded } from '@vouch/chain/contracts/service/events';
import { attestationStates, serviceViews } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import { callAlone, simulateInOrder } from '../batching/simulate.ts';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { claimAttestations, forgetAttestations, listUnconcluded } from './attestationStore.ts';
import type { Head } from './findDue.ts';
import { fetchMany } from './fetchMany.ts';
import { sendWithinBudget } from './sendWithinBudget.ts';

/** Which attestations the activity reporter concludes: none, those without a verdict, or all. */
export type Conclusions = 'none' | 'without-verdict' | 'all';

/** Wait in seconds after the report deadline: until then a reorg can remove votes, and a slash can conclude the attestation. */
const graceSeconds = 120;
/** Maximum number of attestations read in one round. */
const attestationsRead = 200;
/** Maximum number of attestations in one transaction; each costs about 12,300 gas. */
const maxAttestations = 50;
const gasOfAttestation = 40_000n;
const gasFixed = 60_000n;
/**
 * Age after which an attestation is deleted: the contract ends pending randomness requests after a day, and report windows are
 * shorter.
 */
const forgetSeconds = 3 * 86_400;

/**
 * Concludes ended attestations that nobody else concluded, so that the contract emits the event of their result, mainly for missing
 * quorums. Verdicts and slashes depend on the contract's state, not on this event.
 * @returns whether a transaction was sent
 * @throws RpcUnavailable, RpcRefused
 */
export async function concludeAttestations(context: LaneContext, conclusions: Conclusions, head: Head, own: FundedSlot, signal?: AbortSignal): Promise<boolean> {
  const { database, lane: { deployment } } = context;
  const known = await listUnconcluded(database, deployment, head, graceSeconds, attestationsRead);
  const done = known.filter(({ concluded }) => concluded).map(({ attestationId }) => attestationId);
  const open = known.filter(({ concluded }) => !concluded).map(({ attestationId }) => attestationId);
  const ended = await judge(context, conclusions, open, head, signal);
  const { due, alreadyConcluded } = await keepUnconcluded(context, ended.wanted.slice(0, maxAttestations), head, signal);
  await forgetAttestations(database, deployment, [...done, ...ended.settled, ...alreadyConcluded], head.timestamp - forgetSeconds);
  if (due.length === 0) return false;
  const gasLimit = gasFixed + gasOfAttestation * BigInt(due.length);
  const work = { kind: 'conclusion', calls: due.map(concludeData), gasLimit, about: { attestations: due } } as const;
  return sendWithinBudget(context, work, own, (transaction, batchId) => claimAttestations(transaction, deployment, head.number, due, batchId), signal);
}

/** Splits ended attestations into those to conclude and those without further work. */
async function judge(context: LaneContext, conclusions: Conclusions, ids: readonly Hex[], head: Head, signal?: AbortSignal): Promise<{ wanted: Hex[]; settled: Hex[] }> {
  const states = await fetchMany(context, ids.map((id) => serviceViews.attestationState(context.service, id)), head.number, signal);
  const wanted: Hex[] = [];
  const settled: Hex[] = [];
  ids.forEach((id, place) => {
    const state = states[place];
    if (state === null || state === undefined || !isEnded(state)) return;
    const isWanted = conclusions === 'all' || (conclusions === 'without-verdict' && !isVerdict(state));
    (isWanted ? wanted : settled).push(id);
  });
  return { wanted, settled };
}

function isEnded(state: number): boolean {
  return state >= attestationStates.valid;
}

function isVerdict(state: number): boolean {
  return state <= attestationStates.malicious;
}

/** Keeps the attestations for which a call emits the event; the contract accepts repeated calls but emits no second event. */
async function keepUnconcluded({ rpc, lane, service }: LaneContext, ids: readonly Hex[], head: Head, signal?: AbortSignal): Promise<{ due: Hex[]; alreadyConcluded: Hex[] }> {
  if (ids.length === 0) return { due: [], alreadyConcluded: [] };
  const calls = ids.map((id) => ({ to: service, calldata: concludeData(id) }));
  const basis = { from: lane.relayer, block: head.number };
  const simulation = await simulateInOrder(rpc, basis, calls, signal);
  if (simulation === null) {
    // Without simulated events, the attestations that others concluded are known from scanned blocks, and the gateway's own from
    // its batches.
    const reverts = await callAlone(rpc, basis, calls, signal);
    return { due: ids.filter((_, place) => reverts[place] === null), alreadyConcluded: [] };
  }
  const succeeded = ids.filter((_, place) => simulation.calls[place]?.succeeded === true);
  const due = new Set(simulation.calls.flatMap((call) => (call.succeeded ? decodeConcluded(call.logs, service) : [])));
  return { due: succeeded.filter((id) => due.has(id)), alreadyConcluded: succeeded.filter((id) => !due.has(id)) };
}
