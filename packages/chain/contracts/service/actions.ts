import { encodeFunctionData, parseAbi } from 'viem';
import type { Hex, Operation } from '../../messages/operation.ts';

const abi = parseAbi([
  'function nodeEnter(address replaced)',
  'function nodeExit()',
  'function nodeModifyCommissionRate(uint32 commissionRate)',
  'function nodeSetRewardClaimer(address claimer)',
  'function nodeReportVerification(bytes32 attestationID, uint32 index, uint8 result)',
  'function nodeReportDailyActive(address node)',
  'function requestRandomnessAgain(uint256 requestID)',
  'function concludeAttestation(bytes32 attestationID)',
]);

/** Encodes an operation as call data of a transaction that the node sends to the service itself. */
export function callDataOf(operation: Operation): Hex {
  switch (operation.kind) {
    case 'enter':
      return encodeFunctionData({ abi, functionName: 'nodeEnter', args: [operation.replacedNode] });
    case 'exit':
      return encodeFunctionData({ abi, functionName: 'nodeExit' });
    case 'commission':
      return encodeFunctionData({ abi, functionName: 'nodeModifyCommissionRate', args: [operation.commissionRate] });
    case 'claimer':
      return encodeFunctionData({ abi, functionName: 'nodeSetRewardClaimer', args: [operation.claimer] });
    case 'report':
      // The contract function takes the index before the result; the signed message has the opposite order.
      return encodeFunctionData({ abi, functionName: 'nodeReportVerification', args: [operation.attestationId, operation.index, operation.result] });
  }
}

/** Call data that credits a node's current day if the node was active long enough; anyone may send it. */
export function dailyActiveData(node: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'nodeReportDailyActive', args: [node] });
}

/** Call data that requests the random word of an unanswered request again; anyone may send it. */
export function askRandomnessData(requestId: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'requestRandomnessAgain', args: [requestId] });
}

/** Call data that makes the service emit the final state of an attestation, once; anyone may send it after the deadline. */
export function concludeData(attestationId: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'concludeAttestation', args: [attestationId] });
}
