import { answerOf, callAt, isRevert, type View } from '@vouch/chain/contracts/service/views';
import type { Hex } from '@vouch/chain/messages/operation';
import type { RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import { endDue, holdDue, listDue, type DueRequest } from '../batching/expiryStore.ts';
import { isFinalHold } from '../batching/isFinalHold.ts';
import { executionViews, messageUsed } from '../calls/findEnding.ts';
import { settledBlock, standsIn } from './confirming/chainView.ts';
import type { Evidence } from './fetchEvidence.ts';
import type { LaneContext } from './laneContext.ts';

/**
 * Ends messages past their deadline. A message that the contract executed in a transaction of another sender is confirmed once the
 * block in which this was seen is final; the others expire. On a branch without the newest final transaction of the key, a nonce can be unused that the
 * chain has used, so no sent message ends.
 */
export async function expireMessages(context: LaneContext, { view, nonce, behind, setBack }: Evidence, signal?: AbortSignal): Promise<void> {
  const { database, lane, rpc, rules, system, log } = context;
  const settled = behind && !setBack ? undefined : settledBlock(view, rules.confirmations + 1);
  const dateOf = (block: { timestamp: number }): Date => new Date(block.timestamp * 1_000);
  const due = await listDue(database, lane, { head: dateOf(view.head), settled: settled === undefined ? null : dateOf(settled) }, nonce);
  if (due.length === 0) return;
  const executed = await findExecuted(context, due, view.head.hash, signal);
  const chain = { view, finalBlock: view.head.number - rules.confirmations };
  const endings: Parameters<typeof endDue>[1][number][] = [];
  const held: string[] = [];
  for (const request of due) {
    const { requestId, state: from } = request;
    const isExecuted = executed.get(requestId);
    if (isExecuted === false) endings.push({ requestId, from, state: 'expired', code: 'deadline-passed', reason: describeExpiry(request) });
    else if (isExecuted === true && await isFinalHold(rpc, chain, request.held, messageUsed.code, signal)) endings.push({ requestId, from, ...messageUsed });
    else if (isExecuted === true && !waits(request, chain)) held.push(requestId);
  }
  await holdDue(database, held, { number: view.head.number, hash: view.head.hash, code: messageUsed.code });
  await endDue(database, endings, new Date(system.clock.now()));
  const expired = endings.filter(({ state }) => state === 'expired').length;
  if (expired > 0) log.warn({ expired }, 'requests expired before they took effect');
}

/** Whether the contract executed each message, in the state of a block; a message is missing if no endpoint has that state. */
async function findExecuted({ rpc, service }: LaneContext, due: readonly DueRequest[], block: Hex, signal?: AbortSignal): Promise<Map<string, boolean>> {
  const asked = due.flatMap(({ signed }) => (signed === null ? [] : executionViews(service, signed).map((view) => ({ requestId: signed.requestId, view }))));
  const outcomes = await rpc.batch(asked.map(({ view }) => callAt(view, block)), signal);
  const executed = new Map(due.map(({ requestId, signed }) => [requestId, signed !== null]));
  const answers = asked.map(({ requestId, view }, place) => ({ requestId, answer: readAnswer(view, outcomes[place]) }));
  for (const { requestId, answer } of answers) if (answer === false) executed.set(requestId, false);
  for (const { requestId, answer } of answers) if (answer === null) executed.delete(requestId);
  return executed;
}

/** The answer of a view; false for a contract without the view, which keeps no record of executed messages; null without an answer of the contract. */
function readAnswer(view: View<boolean>, outcome: RpcOutcome | undefined): boolean | null {
  if (outcome?.ok === false && isRevert(outcome.error)) return false;
  if (outcome?.ok === true && outcome.result === '0x') return false;
  try {
    return answerOf(view, outcome);
  } catch {
    return null;
  }
}

/** Whether the message already waits for a block of the followed chain. */
function waits({ held }: DueRequest, { view, finalBlock }: Parameters<typeof isFinalHold>[1]): boolean {
  return held !== null && held.code === messageUsed.code && held.number > finalBlock && standsIn(view, held) !== 'no';
}

function describeExpiry({ deadline }: DueRequest): string {
  return `The time of the chain passed the deadline of the message, ${deadline.toISOString().replace(/\.\d+Z$/, 'Z')}, before it took effect. Sign a new message.`;
}
