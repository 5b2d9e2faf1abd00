import { getAddress } from 'viem/utils';
import type { Hex, Operation } from '@vouch/chain/messages/operation';
import { describeSeconds } from '@vouch/platform/log/describeSeconds';
import { gatewayErrors } from '../../errors/gatewayErrors.ts';
import type { GatewayChain } from '../chainState/gatewayChain.ts';
import type { NodeState } from '../chainState/views.ts';

type Report = Extract<Operation, { kind: 'report' }>;

/** Time in seconds that a report needs to be batched, sent and mined. */
const leastAheadSeconds = 5;
const largestResult = 2;

/**
 * Checks whether the contract will count a report.
 * @param now time of the chain, seconds since 1970
 * @returns the deadline, seconds since 1970
 * @throws Problem `result-invalid`, `attestation-unknown`, `selection-pending`, `report-deadline-passed`, `not-active`,
 * `no-weight`,
 * `not-chosen`, `index-invalid`, `already-reported`
 */
export async function judgeReport(
  chain: GatewayChain, signer: Hex, report: Report, node: NodeState, weight: number, now: number,
): Promise<number> {
  if (report.result > largestResult) {
    throw gatewayErrors.problem('result-invalid', `result is ${report.result}; it must be 0 (valid), 1 (invalid) or 2 (malicious).`);
  }
  const [attestation, reported] = await Promise.all([
    chain.attestation(report.attestationId), chain.hasReported(report.attestationId, signer),
  ]);
  if (!attestation.exists) {
    throw gatewayErrors.problem('attestation-unknown', `The contract has no attestation ${report.attestationId}. Use the id from the event of the contract. If the event is only seconds old, send the message again.`);
  }
  if (attestation.deadline === 0) {
    throw gatewayErrors.problem('selection-pending', `No nodes are chosen yet for the attestation ${report.attestationId}. Send the same message again after the event ConfirmVrfNodes.`);
  }
  if (reported) {
    throw gatewayErrors.problem('already-reported', `${getAddress(signer)} has already reported on the attestation ${report.attestationId}, and only one report counts. No action is needed; if a reorganization of the chain removes that report, send the message again.`);
  }
  if (now + leastAheadSeconds > attestation.deadline) {
    const left = attestation.deadline - now;
    const when = left < 0 ? `passed ${describeSeconds(-left)} ago` : `is in ${left} s, too soon to reach a block`;
    throw gatewayErrors.problem('report-deadline-passed', `The deadline for reports on the attestation ${report.attestationId} ${when}. This report can no longer be submitted.`);
  }
  // The native contract counts reports of every chosen node until the deadline, even if the node left the active set or lost its
  // licenses.
  const { native } = await chain.deployment();
  if (!native && !node.active) {
    throw gatewayErrors.problem('not-active', `${getAddress(signer)} is not in the active set, so reports of this node do not count. Enter the active set first.`);
  }
  if (!native && weight === 0) {
    throw gatewayErrors.problem('no-weight', `${getAddress(signer)} no longer has a license, so reports of this node do not count.`);
  }
  if (node.id === 0) {
    throw gatewayErrors.problem('not-chosen', `${getAddress(signer)} never entered the active set, so it was not chosen for the attestation ${report.attestationId}. Enter first.`);
  }
  await judgePlace(chain, attestation.chosenId, report, node.id);
  return attestation.deadline;
}

async function judgePlace(chain: GatewayChain, chosenId: number, { index, attestationId }: Report, nodeId: number): Promise<void> {
  const there = await chain.chosenAt(chosenId, index);
  if (there === nodeId) return;
  const list = await chain.chosenList(chosenId);
  const place = list.indexOf(nodeId);
  if (place < 0 && there !== null) {
    throw gatewayErrors.problem('not-chosen', `The node ${nodeId} is not among the ${list.length} nodes chosen for the attestation ${attestationId}. Report only attestations for which the event ConfirmVrfNodes lists this node.`);
  }
  const what = there === null ? `is beyond the list of ${list.length} chosen nodes` : `is the index of node ${there}`;
  const right = place < 0 ? `the node ${nodeId} is not in the list` : `the index of node ${nodeId} is ${place}`;
  throw gatewayErrors.problem('index-invalid', `index is ${index}, which ${what}; ${right}. Sign the index of the node in the list of the event ConfirmVrfNodes, starting at 0.`);
}
