import type { Operation } from '@vouch/chain/messages/operation';

/**
 * Gas of one operation inside a batch, rounded up over both contracts; only for planning and for dividing a receipt.
 * Limits of a transaction come from simulation.
 */
export const plannedGas: Readonly<Record<Operation['kind'], number>> = {
  enter: 240_000, exit: 150_000, commission: 90_000, claimer: 80_000, report: 40_000,
};

/** The same at a contract that keeps votes in a bitmap: see the gas snapshot of the contracts. */
export const plannedGasIsolated: typeof plannedGas = { ...plannedGas, report: 18_000 };

/** Bytes of calldata of one operation: its arguments with a selector, padding and an offset, or one entry of a report batch. */
export const plannedBytes: Readonly<Record<Operation['kind'], number>> = {
  enter: 292, exit: 260, commission: 292, claimer: 292, report: 192,
};

/**
 * Gas of one operation that its signer sends alone to a contract of the upstream kind: the other side of "gas saved".
 * Reports: 69,299 measured for a node's own `nodeReportVerification`; the others: measured with this repository's strict
 * contract, signer's own call.
 */
export const gasAlone: Readonly<Record<Operation['kind'], number>> = {
  enter: 206_000, exit: 169_000, commission: 74_000, claimer: 58_000, report: 69_299,
};
