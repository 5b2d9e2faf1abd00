import { askRandomnessData } from '@vouch/chain/contracts/service/actions';
import { callAlone } from '../batching/simulate.ts';
import type { FundedSlot, LaneContext } from '../sending/laneContext.ts';
import { claimRequests, readUnanswered } from './attestationStore.ts';
import type { Head } from './findDue.ts';
import { sendWithinBudget } from './sendWithinBudget.ts';

/** Requests that are looked at; the contract ends what waits for longer than a day. */
const requestsRead = 1_000;
/** Requests of one transaction, each with an upper bound of its gas at a coordinator. */
const maxRequests = 10;
const gasOfRequest = 400_000n;

/**
 * Asks again for random words that do not come, wherever the contract lets anybody do so; then an attestation does not wait for ever.
 * @returns whether something was sent
 * @throws RpcUnavailable, RpcRefused
 */
export async function askRandomness(context: LaneContext, head: Head, own: FundedSlot, signal?: AbortSignal): Promise<boolean> {
  const { database, lane: { deployment } } = context;
  const due = await keepAskable(context, await readUnanswered(database, deployment, head.number, requestsRead), head, signal);
  if (due.length === 0) return false;
  const work = { kind: 'randomness', calls: due.map(askRandomnessData), gasLimit: gasOfRequest * BigInt(due.length), about: { requests: due.map(String) } } as const;
  return sendWithinBudget(context, work, own, (transaction, batchId) => claimRequests(transaction, deployment, head.number, due, batchId), signal);
}

/** Those that the contract would take: it waits for the word, and the last request is long enough ago. */
async function keepAskable({ rpc, lane, service }: LaneContext, requests: readonly bigint[], head: Head, signal?: AbortSignal): Promise<bigint[]> {
  if (requests.length === 0) return [];
  const reverts = await callAlone(rpc, { from: lane.relayer, block: head.number }, requests.map((id) => ({ to: service, calldata: askRandomnessData(id) })), signal);
  return requests.filter((_, place) => reverts[place] === null).slice(0, maxRequests);
}
