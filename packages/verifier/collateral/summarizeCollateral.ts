import type { CollateralReport } from '../attestation/collateral/checkCollateral.ts';
import { leftUntil } from './describeCollateral.ts';

/** The collateral part of `verifier status`; the names are those of the JSON output. */
interface CollateralSummary {
  complete: boolean;
  valid_until: string | null;
  /** Items that are not valid; empty when all are. */
  wrong: readonly { what: string; state: string }[];
}

export function summarizeCollateral({ complete, validUntil, items }: CollateralReport): CollateralSummary {
  return { complete, valid_until: validUntil, wrong: items.filter(({ state }) => state !== 'good').map(({ what, state }) => ({ what, state })) };
}

/** Formats the summary as one line of text. */
export function describeSummary({ complete, valid_until: until, wrong }: CollateralSummary, date: Date): string {
  if (complete) return `complete until ${until}, ${leftUntil(until, date)} left`;
  return `${wrong.map(({ what, state }) => `${what} ${state}`).join(', ')}: the node does not vote on quotes that need these parts; run verifier collateral update to fetch them`;
}
