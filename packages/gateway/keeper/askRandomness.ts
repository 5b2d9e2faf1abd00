import { verifierServiceAbi } from '@vouch/chain/contracts/abi/verifierService';
import { askRandomnessData } from '@vouch/chain/contracts/service/actions';
import { readAnnouncement, readChoice } from '@vouch/chain/contracts/service/events';
import type { Hex } from '@vouch/chain/messages/operation';
import { scanLogs } from '@vouch/chain/rpc/scanLogs';
import { encodeEventTopics } from 'viem';
import { wrapCalls, type ArrangedCall } from '../batching/arrangeCalls.ts';
import { callAlone } from '../batching/simulate.ts';
import type { LineContext } from '../sending/lineContext.ts';
import { sendAskAgain } from '../sending/sendOwn.ts';
import type { Head } from './findDue.ts';
import type { KeeperTransaction } from './reportActivity.ts';

/** How often announcements are looked for; nodes are chosen within seconds of them. */
const lookMs = 60_000;
/** At the first look: what was announced earlier is asked for by the gateway that ran then, or by anybody. */
const blocksBack = 5_000;
const blocksPerQuestion = 1_000;
/** Blocks that are looked at again, since an endpoint may know a block before its events. */
const blocksAgain = 12;
const openMax = 1_000;
/** Requests of one transaction, each with an upper bound of its gas at a coordinator. */
const requestsMax = 10;
const gasOfRequest = 400_000n;
/** The contract ends what waits for longer than a day. */
const forgetSeconds = 2 * 86_400;

/** Requests for random words that have no answer yet, by number. */
interface OpenRequest {
  attestationId: Hex;
  /** Chain time when it was first seen, seconds. */
  seenAt: number;
}

/** Asks again for random words that do not come, wherever the contract lets anybody do so; then an attestation does not wait for ever. */
export interface RandomnessWatch {
  /** @returns whether something was sent */
  ask(context: LineContext, head: Head, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean>;
}

const topicOf = (eventName: 'TeeReportAttestations' | 'ConfirmVrfNodes'): Hex => encodeEventTopics({ abi: verifierServiceAbi, eventName })[0] as Hex;
const announced = topicOf('TeeReportAttestations');
const confirmed = topicOf('ConfirmVrfNodes');

export function createRandomnessWatch(): RandomnessWatch {
  const open = new Map<bigint, OpenRequest>();
  let nextMs = 0;
  let scanned: number | null = null;
  return {
    async ask(context, head, own, signal) {
      const now = context.doors.clock.now();
      if (now < nextMs) return false;
      nextMs = now + lookMs;
      scanned = await scan(context, open, head, scanned, signal);
      for (const [id, { seenAt }] of open) if (head.timestamp - seenAt > forgetSeconds) open.delete(id);
      const due = await keepAskable(context, [...open.keys()], head, signal);
      return due.length === 0 ? false : send(context, due, open, own, signal);
    },
  };
}

async function scan({ rpc, service, log }: LineContext, open: Map<bigint, OpenRequest>, head: Head, scanned: number | null, signal?: AbortSignal): Promise<number> {
  const fromBlock = Math.max(0, scanned === null ? head.number - blocksBack : scanned - blocksAgain);
  const filter = { address: service, topics: [[announced, confirmed]], fromBlock, toBlock: head.number, blocksMax: blocksPerQuestion };
  for await (const { logs } of scanLogs(rpc, { ...filter, ...(signal === undefined ? {} : { signal }) })) {
    for (const { topics: [topic], data } of logs) {
      try {
        if (topic === confirmed) open.delete(readChoice(data).requestId);
        else note(open, data, head);
      } catch (error) {
        log.debug({ reason: (error as Error).message }, 'an event of the service is not laid out as expected');
      }
    }
  }
  return head.number;
}

function note(open: Map<bigint, OpenRequest>, data: Hex, head: Head): void {
  const { requestId, attestations: [first] } = readAnnouncement(data);
  if (first !== undefined && !open.has(requestId) && open.size < openMax) open.set(requestId, { attestationId: first.attestationId, seenAt: head.timestamp });
}

/** Those that the contract would take: it waits for the word, and the last request is long enough ago. Other contracts refuse every one. */
async function keepAskable({ rpc, line, service }: LineContext, requests: readonly bigint[], head: Head, signal?: AbortSignal): Promise<bigint[]> {
  if (requests.length === 0) return [];
  const reverts = await callAlone(rpc, { from: line.relayer, block: head.number }, requests.map((id) => ({ to: service, calldata: askRandomnessData(id) })), signal);
  return requests.filter((_, place) => reverts[place] === null).slice(0, requestsMax);
}

async function send(context: LineContext, due: readonly bigint[], open: ReadonlyMap<bigint, OpenRequest>, own: KeeperTransaction, signal?: AbortSignal): Promise<boolean> {
  const { service, isolation, log, line } = context;
  const gasLimit = gasOfRequest * BigInt(due.length);
  if (gasLimit * own.fees.maxFeeWei > own.spareWei) {
    log.warn({ requests: due.length, relayer: line.relayer }, 'the balance of a relayer key does not pay for asking again for random words: send it more');
    return false;
  }
  const calls = due.map((id, member): ArrangedCall => ({ kind: 'single', data: askRandomnessData(id), member }));
  const batch = await sendAskAgain(context, wrapCalls(calls, service, isolation), gasLimit, own, signal);
  if (batch === null) return false;
  log.warn({ batch, attestations: due.map((id) => open.get(id)?.attestationId) }, 'attestations wait for a random word that did not come; the contract is asked to request it again');
  return true;
}
