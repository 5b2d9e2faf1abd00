import { answerOf, callOf, serviceViews } from '@vouch/chain/contracts/service/views';
import { parseBlock, type Block } from '@vouch/chain/rpc/chainReads';
import type { RpcOutcome } from '@vouch/chain/rpc/rpcClient';
import type { NodeParts } from '../context/nodeParts.ts';
import type { KeptAttestation } from '../state/nodeState.ts';

/** Interval for checking an attestation that has ended: a reorganization may remove a report, or add one that had counted as missed. */
const recheckMs = 30_000;
/** Time after the deadline, in seconds of the chain, until which ended attestations are checked. No reorganization is expected to reach further back. */
const settledSeconds = 600;

/**
 * Asks the contract which reports count, and marks each as reported, missed or still to be sent. The answer that a report does not count
 * is trusted only from an endpoint that has the newest block: behind a load balancer, an endpoint that is behind may answer.
 */
export async function checkReports(parts: NodeParts, head: Block): Promise<void> {
  const { record, rpc, signal, configuration: { contract: { service } }, node } = parts;
  const asked = [...record.all()].filter((each) => isOfInterest(parts, each, head));
  if (asked.length === 0) return;
  const views = asked.map(({ attestationId }) => serviceViews.reported(service, attestationId, node));
  const [newest, ...outcomes] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }, ...views.map(callOf)], signal);
  const hasHead = reaches(newest, head);
  for (const [at, attestation] of asked.entries()) {
    const counts = answerOf(views[at] as (typeof views)[number], outcomes[at]);
    if (counts) noteReported(parts, attestation);
    else if (hasHead) noteOpen(parts, attestation, head);
  }
}

function reaches(newest: RpcOutcome | undefined, head: Block): boolean {
  return newest?.ok === true && newest.result !== null && parseBlock(newest.result).number >= head.number;
}

/** Times of the last checks by `elapsedMs`, which no step of the clock moves. */
const checkedAt = new WeakMap<KeptAttestation, number>();

function isOfInterest({ system }: NodeParts, attestation: KeptAttestation, head: Block): boolean {
  const { state, deadline } = attestation;
  if (deadline === null || attestation.chosenIndex === null) return false;
  if (state === 'chosen' || state === 'sent') return true;
  if (!isCorrectable(state) || head.timestamp > deadline + settledSeconds) return false;
  const now = system.elapsedMs();
  if (now - (checkedAt.get(attestation) ?? -Infinity) < recheckMs) return false;
  checkedAt.set(attestation, now);
  return true;
}

/** Whether a reorganization can change this end of an attestation. */
function isCorrectable(state: KeptAttestation['state']): boolean {
  return state === 'reported' || state === 'missed' || state === 'withheld';
}

function noteReported(parts: NodeParts, attestation: KeptAttestation): void {
  const { record, log, alarms, system } = parts;
  if (attestation.state === 'reported') return;
  noteOther(parts, attestation);
  if (attestation.attempts > 0) endStandby(parts);
  const { attestationId, verdict, reportedAt, state } = attestation;
  if (reportedAt === null) record.count('reported');
  if (state === 'missed') record.uncount('missed');
  if (state === 'withheld') record.uncount('notVoted');
  record.change(attestation, { state: 'reported', reportedAt: reportedAt ?? system.clock.now(), lastError: null });
  record.note({ lastReportedAt: system.clock.now() });
  log.info({ attestation: attestationId, verdict }, 'The report is on the chain.');
  alarms.clear('report-late', attestationId);
  // The report is on the chain, so the gateway's refusal no longer contradicts the RPC endpoint.
  alarms.clear('gateway-disagrees');
}

/** A counted report that this program never sent, although it saw the choice, comes from another program with the same key. */
function noteOther({ record, firstBlock, alarms, system }: NodeParts, { attempts, chosenBlock, attestationId }: KeptAttestation): void {
  if (attempts > 0 || chosenBlock === null || chosenBlock <= firstBlock || record.standby !== null) return;
  const because = `The report on ${attestationId} is on the chain, but this program did not send it: another program uses the same key. This program stands by and sends a report only if half of the reporting time is over. Stop one of the two programs.`;
  record.setStandby({ since: system.clock.now(), because });
  alarms.raise('second-copy', because);
}

/** The other program left a report to this one, so most likely the other program has stopped. */
function endStandby({ record, alarms, log }: NodeParts): void {
  if (record.standby === null) return;
  record.setStandby(null);
  alarms.clear('second-copy');
  log.info('This program reports immediately again, because the other program with the same key did not report.');
}

function noteOpen(parts: NodeParts, attestation: KeptAttestation, head: Block): void {
  const { record, time, alarms, log } = parts;
  const { attestationId, deadline, halfTime, state, verdict, lastError, sentence } = attestation;
  if (state === 'missed' || state === 'withheld') return;
  if (deadline !== null && head.timestamp > deadline) return noteMissed(parts, attestation);
  if (state === 'reported') {
    log.warn({ attestation: attestationId }, 'The report is no longer on the chain; the node sends it again.');
    record.change(attestation, { state: 'sent' });
    return;
  }
  const why = verdict === null ? (sentence ?? 'The attestation is not judged yet.') : (lastError ?? 'The report was submitted and is not on the chain yet.');
  if (halfTime !== null && (time.now() ?? 0) >= halfTime) {
    alarms.raise('report-late', `This node has to report ${attestationId} until ${new Date((deadline ?? 0) * 1_000).toISOString()}, half of the time is over, and the report is not on the chain. ${why}`, attestationId);
  }
}

function noteMissed({ record, alarms }: NodeParts, attestation: KeptAttestation): void {
  const { attestationId, state, verdict, reportedAt, lastError, sentence } = attestation;
  const error = state === 'reported' ? 'A reorganization of the chain removed the report, and the deadline has passed.' : lastError;
  const why = verdict === null ? (sentence ?? 'The attestation is not judged yet.') : (error ?? 'The report was submitted and is not on the chain.');
  if (reportedAt !== null) record.uncount('reported');
  record.change(attestation, { state: verdict === null ? 'withheld' : 'missed', reportedAt: null, lastError: error });
  record.count(verdict === null ? 'notVoted' : 'missed');
  alarms.clear('report-late', attestationId);
  alarms.say('report-missed', `The report on ${attestationId} missed its deadline. ${why}`, attestationId);
}
