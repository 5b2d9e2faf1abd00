import { decodeAnnouncement, decodeChoice, decodeCleared } from '@vouch/chain/contracts/service/events';
import type { Hex } from '@vouch/chain/messages/operation';
import type { Log } from '@vouch/chain/rpc/chainReads';
import { attestationIdOf, maxInfoCharacters } from '../attestation/decodeInfo.ts';
import { verifyAttestation } from '../attestation/verifyAttestation.ts';
import { messageOf } from '../logging/messageOf.ts';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptAttestation } from '../state/nodeState.ts';
import { noCollateral } from './judgeAttestations.ts';

type Parts = Pick<NodeParts, 'configuration' | 'node' | 'record' | 'time' | 'alarms' | 'log' | 'system'>;

/**
 * Applies the chain's events to the record, in order. Applying a log twice has no effect: logs repeat after a restart, after a
 * reorganization, and because blocks are scanned repeatedly.
 */
export async function applyLogs(parts: Parts, logs: readonly Log[]): Promise<void> {
  const { service, teeEmitter, topic1, topic2, topic3 } = parts.configuration.contract;
  const inOrder = [...logs].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  for (const log of inOrder) {
    const [topic] = log.topics;
    try {
      if (topic === topic1 && log.address === teeEmitter) await announce(parts, log);
      else if (topic === topic2 && log.address === service) choose(parts, log);
      else if (topic === topic3 && log.address === service && decodeCleared(log.data) === parts.node) noteCleared(parts, log);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (isNew(parts, log)) parts.log.warn({ block: log.blockNumber, transaction: log.transactionHash }, `An event cannot be decoded (${messageOf(error)}); the node skips it.`);
    }
  }
}

async function announce({ record, log, configuration, system }: Parts, { data, blockNumber, transactionHash }: Log): Promise<void> {
  const { requestId, attestations } = decodeAnnouncement(data);
  for (const { attestationId, info } of attestations) {
    const known = record.attestation(attestationId);
    if (known !== undefined) {
      if (known.judgedAt === null || known.reason === 'info-unknown') await keepAgain(record, known, info);
      // A reorganization may have moved the announcement to another block.
      if (known.transactionHash !== transactionHash || known.requestId !== String(requestId)) record.change(known, { block: blockNumber, transactionHash, requestId: String(requestId) });
      continue;
    }
    await record.infos.write(attestationId, info);
    const judged = info.length > maxInfoCharacters ? judgeTooLong(info, attestationId, configuration, system.clock.now()) : {};
    record.add({ ...fresh, attestationId, requestId: String(requestId), block: blockNumber, transactionHash, ...judged });
    record.count('announced');
    log.debug({ attestation: attestationId, block: blockNumber }, 'An attestation was announced.');
  }
}

/** Stores the text again: a full disk may have lost it, or an endpoint may have returned a wrong text before. */
async function keepAgain(record: Parts['record'], known: KeptAttestation, info: Uint8Array): Promise<void> {
  const { attestationId } = known;
  if (attestationIdOf(info) !== attestationId || (await record.infos.read(attestationId)) !== null) return;
  await record.infos.write(attestationId, info);
  if (known.judgedAt !== null) record.change(known, { judgedAt: null, reason: null, sentence: null });
}

/** Judges a text that is too long for a quote at once, without collateral and without storing the text. */
function judgeTooLong(info: Uint8Array, attestationId: Hex, { attestation: { policy, trustRoot } }: NodeParts['configuration'], judgedAt: number): Partial<KeptAttestation> {
  const outcome = verifyAttestation(Buffer.from(info).toString('latin1'), { collateral: noCollateral, policy, trustRoot, date: new Date(judgedAt) });
  // A text with another hash says nothing about the attestation of this id.
  return attestationIdOf(info) === attestationId ? { verdict: outcome.result, reason: outcome.reason, sentence: outcome.sentence, judgedAt } : {};
}

const fresh = {
  chosenIndex: null, chosenBlock: null, chosenAt: null, deadline: null, halfTime: null, verdict: null, reason: null, sentence: null, judgedAt: null, basis: null,
  state: 'announced', attempts: 0, sentAt: null, reportedAt: null, sentHash: null, lastError: null,
} as const satisfies Partial<KeptAttestation>;

function choose(parts: Parts, { data, blockNumber }: Log): void {
  const { record, log } = parts;
  const { requestId, chosen, deadline } = decodeChoice(data);
  const { id } = record.membership;
  const index = id === 0 ? -1 : chosen.indexOf(id);
  const announced = [...record.all()].filter((each) => each.requestId === String(requestId));
  if (index >= 0 && announced.length === 0) warnOfUnknown(parts, deadline, requestId);
  for (const attestation of announced) {
    if (index < 0) {
      // Other nodes were chosen, even if a block before a reorganization had chosen this node.
      if (attestation.state !== 'notChosen') record.change(attestation, { state: 'notChosen', chosenIndex: null, chosenBlock: blockNumber, deadline });
      continue;
    }
    if (attestation.chosenIndex === index && attestation.deadline === deadline && attestation.state !== 'announced') continue;
    noteChosen(parts, attestation, { chosenIndex: index, chosenBlock: blockNumber, deadline });
    log.info({ attestation: attestation.attestationId, index, deadline: new Date(deadline * 1_000).toISOString() }, 'This node is chosen to report an attestation.');
  }
}

function noteChosen({ record, time, system }: Parts, attestation: KeptAttestation, choice: { chosenIndex: number; chosenBlock: number; deadline: number }): void {
  const { deadline } = choice;
  const now = Math.min(time.now() ?? deadline, deadline);
  if (attestation.chosenAt === null) record.count('chosen');
  if (attestation.state === 'missed') record.uncount('missed');
  if (attestation.state === 'withheld') record.uncount('notVoted');
  record.change(attestation, {
    ...choice, halfTime: now + Math.floor((deadline - now) / 2), chosenAt: attestation.chosenAt ?? system.clock.now(), state: attestation.attempts > 0 ? 'sent' : 'chosen',
  });
  record.note({ lastChosenAt: system.clock.now() });
}

/** Deadlines by request for which an alarm was raised, because the same event is applied repeatedly. */
const saidUnknown = new WeakMap<Parts['record'], Map<bigint, number>>();

/** Raises an alarm for chosen attestations with an unknown id, which cannot be reported, unless their deadline has passed. */
function warnOfUnknown({ alarms, time, record }: Parts, deadline: number, requestId: bigint): void {
  if (deadline < (time.now() ?? 0)) return;
  const said = saidUnknown.get(record) ?? new Map<bigint, number>();
  if (said.has(requestId)) return;
  // Requests past their deadline raise no alarm, so their entries can go.
  for (const [id, until] of said) if (until < (time.now() ?? 0)) said.delete(id);
  saidUnknown.set(record, said.set(requestId, deadline));
  alarms.say('announcement-unknown', `This node was chosen for request ${requestId}, whose announcement it has not seen: either the attestations were announced before the first processed block (raise chain.offset_block, so that the first scan includes such announcements), or the RPC endpoint returns events late; the node scans the last blocks again.`, String(requestId));
}

function noteCleared(parts: Parts, log: Log): void {
  if (isNew(parts, log)) parts.log.warn({ block: log.blockNumber }, 'The contract reports that this node left the active set or was removed from it.');
}

/** Whether the event's block is scanned for the first time, so that each event is logged once. */
function isNew({ record }: Parts, { blockNumber }: Log): boolean {
  return blockNumber > record.last.block;
}

function isUnreadable(error: unknown): boolean {
  return error instanceof Error && !('code' in error && typeof (error as NodeJS.ErrnoException).code === 'string');
}

/** Returns the topics and Ethereum addresses of the events that a node scans for. */
export function eventFilter({ configuration: { contract } }: Pick<NodeParts, 'configuration'>): { address: readonly Hex[]; topics: readonly (readonly Hex[])[] } {
  const { service, teeEmitter, topic1, topic2, topic3 } = contract;
  return { address: [...new Set([service, teeEmitter])], topics: [[topic1, topic2, topic3]] };
}
