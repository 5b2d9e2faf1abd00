import { encodeAbiParameters, encodeFunctionData, keccak256 } from 'viem';
import type { Hex } from '../../messages/operation.ts';
import { timelockAbi } from '../abi/timelock.ts';

/** Calls that a timelock executes atomically. */
export interface TimelockOperation {
  /** The timelock's id of the operation. */
  id: Hex;
  timelock: Hex;
  /** Call data for a proposer. */
  schedule: Hex;
  /** Call data for an executor, after the delay. */
  execute: Hex;
}

const noPredecessor: Hex = `0x${'00'.repeat(32)}`;

/**
 * Encodes a timelock operation.
 * @param delaySeconds at least the timelock's own delay
 * @param repetition 0 for the first operation with these calls; higher numbers give other ids, because each id executes only once
 */
export function timelockOperation(
  timelock: Hex, calls: readonly { to: Hex; data: Hex }[], delaySeconds: bigint, repetition = 0,
): TimelockOperation {
  const targets = calls.map(({ to }) => to);
  const values = calls.map(() => 0n);
  const payloads = calls.map(({ data }) => data);
  const salt: Hex = `0x${repetition.toString(16).padStart(64, '0')}`;
  const args = [targets, values, payloads, noPredecessor, salt] as const;
  return {
    id: keccak256(encodeAbiParameters([{ type: 'address[]' }, { type: 'uint256[]' }, { type: 'bytes[]' }, { type: 'bytes32' }, { type: 'bytes32' }], args)),
    timelock,
    schedule: encodeFunctionData({ abi: timelockAbi, functionName: 'scheduleBatch', args: [...args, delaySeconds] }),
    execute: encodeFunctionData({ abi: timelockAbi, functionName: 'executeBatch', args }),
  };
}
