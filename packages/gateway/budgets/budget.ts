import type { OperationKind } from '@vouch/chain/messages/operation';

/** Whom a budget limits: one signer, one license regardless of the node that it counts for, or all signers together. */
export const budgetScopes = ['signer', 'license', 'total'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** Name of one daily gas counter. */
export interface BudgetName {
  scope: BudgetScope;
  /**
   * Signer's Ethereum address in lower case, license id, or empty: for `total`, and for the default of subjects without their
   * own budget.
   */
  subject: string;
  kind: OperationKind;
}

/** The gas that one message reserves, and whose budgets it counts against. */
export interface GasClaim {
  kind: OperationKind;
  /** Ethereum address in lower case. */
  signer: string;
  /** Charged license id; null for a report, and if the contract does not map licenses to nodes. */
  license: string | null;
  gas: number;
}

/**
 * Gas reserved per message: more than a transaction with this single message takes, including a node's first entry and an
 * attestation's first report (bench/results/gateway-gas.md). Unused gas is released when the message is confirmed.
 */
export const reservedGas: Readonly<Record<OperationKind, number>> = {
  enter: 200_000, exit: 180_000, commission: 110_000, claimer: 90_000, report: 90_000,
};

/**
 * Default gas per UTC day. Node changes: four to eight of a kind, per signer and per license. Reports of one node: one per
 * minute, each in a separate transaction. In total: a first day on which 2,000 nodes enter and set claimer and commission;
 * 300,000 reports in batches, which is one attestation for 200 nodes per minute.
 */
export const defaultBudgets: Readonly<Record<BudgetScope, Readonly<Record<OperationKind, number>>>> = {
  signer: { enter: 1_000_000, exit: 1_000_000, commission: 400_000, claimer: 400_000, report: 200_000_000 },
  license: { enter: 1_000_000, exit: 1_000_000, commission: 400_000, claimer: 400_000, report: 200_000_000 },
  total: { enter: 400_000_000, exit: 200_000_000, commission: 150_000_000, claimer: 150_000_000, report: 4_000_000_000 },
};

/** Lists the counters that a message is charged to. */
export function budgetsOf({ kind, signer, license }: GasClaim): BudgetName[] {
  return [
    { scope: 'signer', subject: signer, kind },
    ...(license === null ? [] : [{ scope: 'license' as const, subject: license, kind }]),
    { scope: 'total', subject: '', kind },
  ];
}

/** Map key of a counter. */
export function budgetKey({ scope, subject, kind }: BudgetName): string {
  return `${scope} ${subject} ${kind}`;
}

const dayMs = 86_400_000;

/** UTC day of a time in ms since 1970, as `2026-11-22`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Start of the next UTC day, in ms since 1970. */
export function nextDayMs(ms: number): number {
  return (Math.floor(ms / dayMs) + 1) * dayMs;
}
