import { encodeFunctionData, keccak256, parseAbi } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
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

/** What a node sends to the service itself, with its own transaction. */
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
      // The signed message has the result before the index.
      return encodeFunctionData({ abi, functionName: 'nodeReportVerification', args: [operation.attestationId, operation.index, operation.result] });
  }
}

/** Says that a node was active long enough today; anybody may send it. */
export function dailyActiveData(node: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'nodeReportDailyActive', args: [node] });
}

/** Asks again for the random word of a request that has no answer; anybody may send it. */
export function askRandomnessData(requestId: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'requestRandomnessAgain', args: [requestId] });
}

/** Says by an event how an attestation ended, once; anybody may send it after the deadline. */
export function concludeData(attestationId: Hex): Hex {
  return encodeFunctionData({ abi, functionName: 'concludeAttestation', args: [attestationId] });
}

/** A transaction that a node pays for itself. Fees in wei. */
interface OwnTransaction {
  chainId: number;
  nonce: number;
  to: Hex;
  data: Hex;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** @returns the bytes to send, and the hash by which the chain knows them */
export async function signOwnTransaction(privateKey: Hex, transaction: OwnTransaction): Promise<{ raw: Hex; hash: Hex }> {
  const raw = await privateKeyToAccount(privateKey).signTransaction({ type: 'eip1559', value: 0n, ...transaction });
  return { raw, hash: keccak256(raw) };
}
