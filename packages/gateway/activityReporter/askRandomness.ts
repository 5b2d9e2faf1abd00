import { askRandomnessData } from '@vouch/chain/contracts/service/actions';
import { callAlone } from '../batching/simulate.ts';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { claimRequests, listUnanswered } from './attestationStore.ts';
import type { Head } from './findDue.ts';
import { sendWithinBudget } from './sendWithinBudget.ts';

/** Maximum number of pending requests read in one round; the contract ends attestations that wait longer than a day. */
const requestsRead = 1_000;
/** Maximum number of requests in one transaction; `gasOfRequest` is an upper bound at a randomness coordinator. */
const maxRequests = 10;
const gasOfRequest = 400_000n;

/**
 * Repeats randomness requests that were not answered, if the contract allows a repetition; otherwise the attestations would stay
 * pending.
 * @returns whether a transaction was sent
 * @throws RpcUnavailable, RpcRefused
 */
export async function askRandomness(context: LaneContext, head: Head, own: FundedSlot, signal?: AbortSignal): Promise<boolean> {
  const { database, lane: { deployment } } = context;
  const due = await keepAskable(context, await listUnanswered(database, deployment, head.number, requestsRead), head, signal);
  if (due.length === 0) return false;
  const work = { kind: 'randomness', calls: due.map(askRandomnessData), gasLimit: gasOfRequest * BigInt(due.length), about: { requests: due.map(String) } } as const;
  return sendWithinBudget(context, work, own, (transaction, batchId) => claimRequests(transaction, deployment, head.number, due, batchId), signal);
}

/** Keeps the requests whose repetition the contract accepts: the word is still missing and the last request is old enough. */
async function keepAskable({ rpc, lane, service }: LaneContext, requests: readonly bigint[], head: Head, signal?: AbortSignal): Promise<bigint[]> {
  if (requests.length === 0) return [];
  const reverts = await callAlone(rpc, { from: lane.relayer, block: head.number }, requests.map((id) => ({ to: service, calldata: askRandomnessData(id) })), signal);
  return requests.filter((_, place) => reverts[place] === null).slice(0, maxRequests);
}
