import type { OperationKind } from '@vouch/chain/messages/operation';

/**
 * Gas of one operation in a batch, rounded up, at a contract that reverts whole batches. Used for planning and for dividing a
 * receipt's gas; gas limits come from simulation if the node supports it.
 */
const plannedGasReverting: Readonly<Record<OperationKind, number>> = { enter: 150_000, exit: 80_000, commission: 75_000, claimer: 60_000, report: 42_000 };

/**
 * Gas at the isolating contract, which stores votes in a bitmap: 12,117 gas per report in a batch of 200, 17,609 in a batch of 10.
 * An exit after the node's required hours also credits the day: 139,025 gas for the first node of the day.
 */
const plannedGasIsolating: typeof plannedGasReverting = { ...plannedGasReverting, exit: 140_000, report: 16_000 };

/**
 * Planned gas of one operation.
 * @param isolates whether the contract isolates failing entries
 */
export function plannedGas(kind: OperationKind, isolates: boolean): number {
  return (isolates ? plannedGasIsolating : plannedGasReverting)[kind];
}

/** Planned calldata in bytes of one operation: arguments with selector, padding and offset, or one entry of a report batch. */
export const plannedBytes: Readonly<Record<OperationKind, number>> = {
  enter: 292, exit: 260, commission: 292, claimer: 292, report: 192,
};

/**
 * Gas of one operation that its signer sends alone, for the calculation of saved gas. Measured by receipts of a node's transactions
 * after its first ones, at the reverting service of the tests (packages/chain/contracts), which represents a service without batches.
 */
export const gasAlone: Readonly<Record<OperationKind, number>> = {
  enter: 117_141, exit: 47_048, commission: 77_518, claimer: 28_614, report: 64_896,
};
