import type { OperationKind } from '@vouch/chain/messages/operation';

/** Whom a budget is for: one signer, one license wherever it counts, everybody together. */
export const budgetScopes = ['signer', 'license', 'total'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** One counter of gas of a day. */
export interface BudgetName {
  scope: BudgetScope;
  /** The signer's address in lower case, the number of the license, or nothing: the total, or whoever has no budget of its own. */
  subject: string;
  kind: OperationKind;
}

/** What one message asks of the budgets. */
export interface GasClaim {
  kind: OperationKind;
  /** Lower case. */
  signer: string;
  /** The license that is charged; null for a report, and where the contract does not tell licenses. */
  license: string | null;
  gas: number;
}

/**
 * Gas that is set aside for a message: more than the whole transaction of one that is relayed alone, first entry of a node and
 * first report of an attestation included (bench/results/gateway-gas.md). What it does not use comes back when it is confirmed.
 */
export const reservedGas: Readonly<Record<OperationKind, number>> = {
  enter: 200_000, exit: 180_000, commission: 110_000, claimer: 90_000, report: 90_000,
};

/**
 * Gas per UTC day. Rare operations: four to eight of a kind, by signer and by license. Reports of one node: one a minute, each in a
 * transaction of its own. In total: a first day on which 2,000 nodes enter, set claimer and commission; 300,000 reports in batches,
 * which is an attestation for 200 nodes a minute.
 */
export const defaultBudgets: Readonly<Record<BudgetScope, Readonly<Record<OperationKind, number>>>> = {
  signer: { enter: 1_000_000, exit: 1_000_000, commission: 400_000, claimer: 400_000, report: 200_000_000 },
  license: { enter: 1_000_000, exit: 1_000_000, commission: 400_000, claimer: 400_000, report: 200_000_000 },
  total: { enter: 400_000_000, exit: 200_000_000, commission: 150_000_000, claimer: 150_000_000, report: 4_000_000_000 },
};

/** The counters that a message is charged to. */
export function budgetsOf({ kind, signer, license }: GasClaim): BudgetName[] {
  return [
    { scope: 'signer', subject: signer, kind },
    ...(license === null ? [] : [{ scope: 'license' as const, subject: license, kind }]),
    { scope: 'total', subject: '', kind },
  ];
}

/** What a counter is called in maps. */
export function budgetKey({ scope, subject, kind }: BudgetName): string {
  return `${scope} ${subject} ${kind}`;
}

const dayMs = 86_400_000;

/** The UTC day of a moment, as `2026-11-22`. */
export function utcDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** When the next UTC day begins, in ms since 1970. */
export function nextDayMs(ms: number): number {
  return (Math.floor(ms / dayMs) + 1) * dayMs;
}
