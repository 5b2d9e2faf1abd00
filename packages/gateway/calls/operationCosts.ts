import type { OperationKind } from '@vouch/chain/messages/operation';

/**
 * Gas of one operation inside a batch, rounded up, at a contract that undoes whole batches; only for planning and for dividing a
 * receipt. Limits of a transaction come from simulation where a node can simulate.
 */
const plannedGasStrict: Readonly<Record<OperationKind, number>> = { enter: 150_000, exit: 80_000, commission: 75_000, claimer: 60_000, report: 42_000 };

/**
 * The same at the contract that isolates, which keeps votes in a bitmap: 12,117 gas a report in a batch of 200, 17,609 in one of 10.
 * An exit after the node's hours credits the day as well: 139,025 gas where it is the first node of the day.
 */
const plannedGasIsolating: typeof plannedGasStrict = { ...plannedGasStrict, exit: 140_000, report: 16_000 };

/** @param isolates whether the contract isolates failing entries itself */
export function plannedGas(kind: OperationKind, isolates: boolean): number {
  return (isolates ? plannedGasIsolating : plannedGasStrict)[kind];
}

/** Bytes of calldata of one operation: its arguments with a selector, padding and an offset, or one entry of a report batch. */
export const plannedBytes: Readonly<Record<OperationKind, number>> = {
  enter: 292, exit: 260, commission: 292, claimer: 292, report: 192,
};

/**
 * Gas of one operation that its signer sends alone, the other side of "gas saved": receipts of a node's own transactions, not its
 * first ones, to the strict service that the tests have (packages/chain/contracts), which stands for a service without batches.
 */
export const gasAlone: Readonly<Record<OperationKind, number>> = {
  enter: 117_141, exit: 47_048, commission: 77_518, claimer: 28_614, report: 64_896,
};
